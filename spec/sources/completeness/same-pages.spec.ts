import { parseJson } from '../../../src/core/json/parse';
import type { Json } from '../../../src/core/model';
import { itemsOf } from '../../../src/sources/items';
import type { FoundItems } from '../../../src/sources/items';
import { hasSameItems, isOfIds, printOf, seenIds, visitedPages } from '../../../src/sources/completeness/same-pages';
import { aResponse } from '../../support/requests';

const found = (data: Json): FoundItems => itemsOf({ delimiter: '.' }, { response: aResponse(), data }, 'x');
const ofIds = (...ids: readonly Json[]): FoundItems => found(ids.map((id) => ({ id, n: 1 })));

describe('pages with the same items', () => {
  it.each<[string, boolean, Json, Json]>([
    ['equal ones', true, [{ id: 1, n: 2 }], [{ id: 1, n: 2 }]],
    ['one item more', false, [{ id: 1 }], [{ id: 1 }, { id: 2 }]],
    ['other digits', false, parseJson('[0.30000000000000000004]'), [0.3]],
    ['none', true, [], []],
  ])('%s: %s', (_, isEqual, one, other) => {
    expect(hasSameItems(found(one), found(other))).toBe(isEqual);
    if (isEqual) expect(printOf(found(one))).toBe(printOf(found(other)));
  });

  it('are certainly the same page where each item has an id of its own', () => {
    expect([ofIds(1, 2), ofIds(1, 1), ofIds(1, '1'), found([{ n: 1 }])].map(isOfIds)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('seenIds', () => {
  it('counts the items whose ids came before', () => {
    const { add, areKeys } = seenIds();
    expect(areKeys()).toBe(false);
    expect([ofIds(1, 2, 3), ofIds(3, 4), ofIds(5), ofIds(5), found([])].map(add)).toEqual([0, 1, 0, 1, 0]);
    expect(areKeys()).toBe(true);
  });

  it.each<[string, readonly FoundItems[]]>([
    ['items of a page share one', [ofIds(1, 2), ofIds(3, 3)]],
    ['all of a page came before', [ofIds(1, 2), ofIds(2, 1)]],
    ['an item has none', [ofIds(1, 2), found([{ n: 1 }])]],
  ])('counts nothing where %s', (_, pages) => {
    const { add, areKeys } = seenIds();
    expect([...pages, ofIds(1)].map(add).slice(1)).toEqual([0, 0]);
    expect(areKeys()).toBe(false);
  });
});

describe('visitedPages', () => {
  it('counts how many pages in a row were there before', () => {
    const { again } = visitedPages();
    expect(['a', 'b', 'c', 'a', 'b', 'd', 'a'].map(again)).toEqual([0, 0, 0, 1, 2, 0, 1]);
  });

  it('finds a ring that begins after more pages than it remembers, within two rounds', () => {
    const { again } = visitedPages();
    for (let page = 0; page < 130_000; page += 1) again(`before ${page}`);
    const ring = 1000;
    let at = 0;
    while (again(`ring ${at % ring}`) === 0 && at < 200_000) at += 1;
    expect(at).toBeLessThan(132_000 + 2 * ring);
  });
});
