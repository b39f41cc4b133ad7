import * as E from 'fp-ts/Either';
import type { Configuration } from '../config/configuration';
import type { Fault } from '../errors';
import type { Checked } from './validation';

/** Settings that change what is extracted and that a plan cannot hold yet are refused, never passed over. */
export function unsupported(configuration: Configuration): Checked<void> {
  const given: readonly (readonly [string, boolean])[] = [
    ['sshProxy', configuration.sshProxy !== undefined],
    ['cache', configuration.cache !== undefined],
  ];
  const faults: readonly Fault[] = given
    .filter(([, isGiven]) => isGiven)
    .map(([path]) => ({ path, message: 'is not supported yet' }));
  return faults.length === 0 ? E.right(undefined) : E.left(faults);
}
