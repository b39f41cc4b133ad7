import { nextState, previousStartOf } from '../../../src/run/state/next-state';

describe('the state of a run (language 8.13)', () => {
  it('keeps whatever stands in it, and gets the start of the run', () => {
    expect(nextState({ mine: [1], time: { zone: 'UTC', previousStart: 5 } }, 7)).toEqual({
      mine: [1],
      time: { zone: 'UTC', previousStart: 7 },
    });
    expect(nextState({ time: 'now' }, 7)).toEqual({ time: { previousStart: 7 } });
  });

  it.each([
    [{ time: { previousStart: 5 } }, 5],
    [{ time: { previousStart: '5.9' } }, 5],
    [{ time: { previousStart: 'never' } }, 0],
    [{ time: [] }, 0],
    [{}, 0],
  ])('of %j the last run started at %d', (state, seconds) => {
    expect(previousStartOf(state)).toBe(seconds);
  });
});
