import type { DurableSink } from '../../../src/core/durable-sink';
import type { Json, JsonObject } from '../../../src/core/model';
import { ownState, withOwnState } from '../../../src/sinks/state';
import { commonState } from '../../../src/run/state/state-before';

const sink = (name: string, keepsNothing?: boolean): DurableSink => ({
  name,
  ...(keepsNothing === undefined ? {} : { keepsNothing }),
  open: () => Promise.resolve({ state: {} }),
  begin: () => Promise.resolve(),
  write: () => Promise.resolve(),
  commit: () => Promise.resolve([]),
  close: () => Promise.resolve(),
});
/** What a run of the configuration left, beside that of another one. */
const left = (own: JsonObject) => ({ state: withOwnState(withOwnState({}, 'other', { time: 0 }), 'mine', own) });
const common = (config: Json, ...states: readonly JsonObject[]): JsonObject =>
  commonState(
    states.map((_, at) => sink(`sink${at}`)),
    states.map(left),
    config,
    (all) => ownState(all, 'mine'),
  );

const since = { config: { jobs: [{ endpoint: 'a', params: { since: { time: 'previousStart' } } }] } };
const incremental = { config: { jobs: [{ endpoint: 'a', incremental: { field: 'at', param: 'since' } }] } };
const everything = { config: { jobs: [{ endpoint: 'a' }] } };
const at = (previousStart: number): JsonObject => ({ time: { previousStart } });
const upTo = (value: string): JsonObject => ({ 'headwater.cursors': { a: { '': value } } });

describe('the state of a configuration in several destinations', () => {
  it('is what its last run left, the same in all', () => {
    expect(common(since, at(5), at(5))).toEqual(at(5));
    expect(common(incremental, upTo('b'), upTo('b'))).toEqual(upTo('b'));
    expect(common(since)).toEqual({});
  });

  it.each([
    ['that began at another time', at(5), at(6)],
    ['that came to another place', upTo('b'), upTo('c')],
    ['that only one of them has', upTo('b'), {}],
  ])('is refused where one has a run %s, if the configuration asks only for what is new', (_, one, other) => {
    for (const config of [since, incremental]) {
      const refused: unknown = expect.objectContaining({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringContaining('sink0, sink1, sink2') as string,
      });
      expect(() => common(config, one, one, other)).toThrow(refused as Error);
      expect(() => common(config, other, one)).toThrow('do not stand at the same place');
    }
  });

  it('is refused where one job of many asks only for what is new', () => {
    const mixed = { config: { jobs: [...everything.config.jobs, ...since.config.jobs] } };
    expect(() => common(mixed, at(5), at(6))).toThrow('do not stand at the same place');
  });

  it('is that of the first where the configuration asks for everything, or the rest of the state differs', () => {
    expect(common(everything, at(5), at(6))).toEqual(at(5));
    expect(common(since, { ...at(5), mine: 1 }, { ...at(5), mine: 2 })).toEqual({ ...at(5), mine: 1 });
  });

  it('does not ask destinations that keep nothing', () => {
    const states = [left({}), left(at(5)), left(at(5))];
    const all = [sink('pass', true), sink('a'), sink('b', false)];
    expect(commonState(all, states, since, (known) => ownState(known, 'mine'))).toEqual(at(5));
  });
});
