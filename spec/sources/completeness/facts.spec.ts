import type { Checkpoint } from '../../../src/core/model';
import { NOTHING_KNOWN, factsAfter, knownFrom } from '../../../src/sources/completeness/facts';
import type { Known } from '../../../src/sources/completeness/facts';
import { NOTHING_SAID } from '../../../src/sources/completeness/said';

const sign = { where: '"next"', value: '"a"' };
const known: Known = {
  ...NOTHING_KNOWN,
  hasLists: true,
  page: {
    count: 2,
    place: 'list',
    isFull: true,
    said: { ...NOTHING_SAID, address: sign, flag: sign, last: sign, noNext: sign },
  },
  // All that can be met behind the first page of a call.
  met: {
    ...{ token: 'stays', hadNext: true, repeated: 2, previous: sign, disorder: true, cut: { from: '1.5', to: '1' } },
    ...{ repeatedKey: 'items', redirected: true, endUnknown: true, columns: [['a'], ['b']] },
  },
  isUnsorted: true,
  equal: 1,
  empty: 2,
  total: { value: 9, where: 'in an earlier response', isSteady: false, isOfAll: false },
};

const checkpoint = (facts: ReturnType<typeof factsAfter>): Checkpoint => ({
  ...{ call: [0, 0], job: 'j', pages: 2, items: 4, volume: 0, position: 2 },
  evidence: { total: 9, ...(facts === undefined ? {} : { facts }) },
});

describe('a call that is resumed', () => {
  it('knows what it knew', () => {
    const facts = factsAfter(known);
    expect(knownFrom(checkpoint(JSON.parse(JSON.stringify(facts)) as typeof facts))).toEqual(known);
  });

  it('needs no facts where nothing was met', () => {
    expect(factsAfter(NOTHING_KNOWN)).toBeUndefined();
  });
});
