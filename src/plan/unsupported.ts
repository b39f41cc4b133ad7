import * as E from 'fp-ts/Either';
import type { Configuration, RunConfiguration } from '../config/configuration';
import type { Fault } from '../errors';
import type { Checked } from './validation';

/** Settings that change what is extracted and that a plan cannot hold yet are refused, never passed over. */
export function unsupported({ api }: RunConfiguration, configuration: Configuration): Checked<void> {
  const given: readonly (readonly [string, boolean])[] = [
    ['sshProxy', configuration.sshProxy !== undefined],
    ['cache', configuration.cache !== undefined],
    ['api.pagination.limitStop', 'limitStop' in api.pagination.stops],
    ['api.pagination.forceStop', 'forceStop' in api.pagination.stops],
    ['api.pagination.nextPageFlag', 'nextPageFlag' in api.pagination.stops],
  ];
  const faults: readonly Fault[] = given
    .filter(([, isGiven]) => isGiven)
    .map(([path]) => ({ path, message: 'is not supported yet' }));
  return faults.length === 0 ? E.right(undefined) : E.left(faults);
}
