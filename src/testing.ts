/** The module `headwater/testing`, for tests of applications and of their sinks. It needs no test runner, and works with each of them. */
import { SinkFixture } from './explore/testing/contract/fixture';
import type { ContractRule, ContractCheck, ContractSubject } from './explore/testing/contract/fixture';
import { INTERRUPTED, DAMAGE } from './explore/testing/contract/interrupted-runs';
import { KEPT, RUNS } from './explore/testing/contract/runs';
import { MESSAGES, TABLES } from './explore/testing/contract/tables';

export { pagesOf, scriptedApi, scriptedLogins } from './explore/testing/scripted-api';
export type {
  PagesOptions,
  ScriptedAnswer,
  ScriptedApi,
  ScriptedLogins,
  ScriptedRequest,
  ScriptedRoute,
} from './explore/testing/scripted-api';
export { replay } from './explore/testing/replay';
export type { Replay } from './explore/testing/replay';
export { virtualTime } from './explore/testing/virtual-time';
export type { VirtualTime } from './explore/testing/virtual-time';
export { pageOf } from './explore/testing/contract/fixture';
export type { PageFacts } from './explore/testing/contract/fixture';
export type { ContractCheck, ContractPlace, ContractSubject, ReadRow } from './explore/testing/contract/fixture';

/** The functions of a test runner that are used; node, jest, mocha and vitest have them. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/**
 * Returns the promises that `deliver` relies on, as checks of a sink. Each check has a separate place, so that they can run in any order.
 *
 * @param subject how places are made, read and damaged
 * @returns named checks, which reject with an AssertionError if a promise is not kept
 * @example for (const { name, run } of sinkContract(subject)) test(name, run);
 */
export function sinkContract(subject: ContractSubject): readonly ContractCheck[] {
  const { makes, keepsNothing = false } = subject;
  const promises: readonly ContractRule[] = [
    ...RUNS,
    ...(keepsNothing ? [] : [...KEPT, ...INTERRUPTED, DAMAGE]),
    ...(makes === 'tables' || makes === 'linked-tables' ? TABLES : []),
    ...(makes === 'messages' ? MESSAGES : []),
  ];
  return promises.map(({ name, keep }) => ({
    name,
    run: async () => {
      const fixture = new SinkFixture(subject, await subject.place());
      try {
        // A place that cannot be accessed cannot be damaged.
        if (name !== DAMAGE.name || fixture.place.damage !== undefined) await keep(fixture);
      } finally {
        await fixture.end();
      }
    },
  }));
}

/**
 * Registers the checks of {@link sinkContract} with a test runner.
 *
 * @example describeSink(subject, require('node:test'));
 */
export function describeSink(subject: ContractSubject, { describe, it }: Runner): void {
  describe(`${subject.name} keeps the contract of sinks`, () => {
    for (const { name, run } of sinkContract(subject)) it(name, run);
  });
}
