import type { JsonObject } from '../../src/core/model';
import { otherStates, ownState, withOwnState } from '../../src/sinks/state';

const both = withOwnState(withOwnState({ mine: 1 }, 'a', { n: 1 }), 'b', { n: 2 });

describe('the states of several configurations in one destination', () => {
  it('are kept apart; whatever else stands there stays', () => {
    expect(both).toEqual({ mine: 1, 'headwater.configurations': { a: { n: 1 }, b: { n: 2 } } });
    expect(ownState(both, 'a')).toEqual({ n: 1 });
    expect(ownState(both, 'c')).toEqual({});
    expect(otherStates(both, 'a')).toEqual([{ n: 2 }]);
    expect(otherStates(both, 'c')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('take the place of what the last run of the same configuration left', () => {
    const renewed = withOwnState(both, 'a', { n: 3 });
    expect(ownState(renewed, 'a')).toEqual({ n: 3 });
    expect(otherStates(renewed, 'a')).toEqual([{ n: 2 }]);
  });

  it('are those of the last 50 configurations', () => {
    let all: JsonObject = {};
    for (let n = 0; n < 51; n += 1) all = withOwnState(all, `config${n}`, { n });
    expect(ownState(all, 'config0')).toEqual({});
    expect(ownState(all, 'config1')).toEqual({ n: 1 });
    expect(otherStates(all, 'config50')).toHaveLength(49);
    // One that is known already takes the place of no other.
    expect(ownState(withOwnState(all, 'config9', { n: 'again' }), 'config1')).toEqual({ n: 1 });
  });

  it.each([[{}], [{ 'headwater.configurations': 5 }], [{ 'headwater.configurations': { a: 5 } }]])(
    'of %j there is nothing to read, and it can be written',
    (state) => {
      expect(ownState(state, 'a')).toEqual({});
      expect(otherStates(state, 'b')).toEqual([]);
      expect(ownState(withOwnState(state, 'a', { n: 1 }), 'a')).toEqual({ n: 1 });
    },
  );
});
