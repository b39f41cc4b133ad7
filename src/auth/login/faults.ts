import type { OptionFault } from '../../language/codec/component';
import { marginFaults } from './expires';
import type { LoginWritten } from './fields';
import { stateNamesIn } from './kept';

/** What is wrong with options of a login that are right each by itself. */
export const loginFaults = (login: LoginWritten): readonly OptionFault[] => [
  ...marginFaults(login),
  ...refreshFaults(login),
];

/** A refresh has to send what was kept, or nothing would tell when it can be used. */
function refreshFaults({ refreshRequest, persist }: LoginWritten): readonly OptionFault[] {
  if (refreshRequest === undefined) return [];
  const option = 'refreshRequest';
  if (persist === undefined)
    return [
      { option, message: 'needs "persist", which keeps the refresh token under a name: {"state": name} is its value' },
    ];
  return stateNamesIn(refreshRequest).length === 0
    ? [{ option, message: 'sends nothing of "persist": write {"state": name} where the refresh token goes' }]
    : [];
}
