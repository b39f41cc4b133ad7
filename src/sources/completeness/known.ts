import { isRight } from 'fp-ts/Either';
import * as t from 'io-ts';
import type { Checkpoint, Json, JsonObject } from '../../core/model';
import type { FoundItems } from '../items';
import { NOTHING_MET } from './facts';
import type { KnownTotal, Met, PageFacts } from './facts';
import { NOTHING_SAID } from './said';

/** What the pages of a call have shown so far. */
export interface Known {
  /** The page before, and its facts; absent for the first page, also of a resumed call. */
  readonly last?: FoundItems;
  readonly page?: PageFacts;
  /** The digest of the page before, in a resumed call. */
  readonly lastPrint?: string;
  /** The position of the request for the page before. */
  readonly position?: Json;
  /** True if any page had a list of items. */
  readonly hasLists: boolean;
  /** True if the page is requested because the API has more items, although the page before was not full. */
  readonly isBeyond: boolean;
  /** The names of the columns of the rows before, of a format that has columns; empty if they changed on the way. */
  readonly columns?: readonly string[];
  readonly total?: KnownTotal;
  readonly met: Met;
  /** The sentences that the API has said. */
  readonly texts: readonly string[];
  /** True if the items of a page were not in the order of the pagination. */
  readonly isUnsorted?: boolean;
  /** How many pages in a row were equal to the one before, and how many had no items. */
  readonly equal: number;
  readonly empty: number;
}

export const NOTHING_KNOWN: Known = {
  hasLists: false,
  isBeyond: false,
  met: NOTHING_MET,
  texts: [],
  equal: 0,
  empty: 0,
};

/** What a call has shown so far, as its checkpoint keeps it for the page after an interruption. */
const sign = t.type({ where: t.string, value: t.string });
const factsCodec = t.partial({
  hadNext: t.boolean,
  repeated: t.number,
  previous: sign,
  disorder: t.boolean,
  cut: t.type({ from: t.string, to: t.string }),
  redirected: t.boolean,
  endUnknown: t.boolean,
  columns: t.tuple([t.array(t.string), t.array(t.string)]),
  /** The page before, and what it said of others. */
  page: t.type({
    count: t.number,
    isFull: t.boolean,
    said: t.partial({ flag: sign, address: sign, last: sign, noNext: sign }),
  }),
  texts: t.array(t.string),
  equal: t.number,
  empty: t.number,
  /** True if its items were not in the order of the pagination. */
  isUnsorted: t.boolean,
  /** True if pages had different totals, and if the total counts no more than a page has. */
  isUnsteady: t.boolean,
  isOfPage: t.boolean,
});

/** Returns what the checkpoint of a page keeps for the next one, beside what evidence has anyway; `undefined` if that is nothing. */
export function factsAfter({ met, page, isUnsorted, total, equal, empty }: Known): JsonObject | undefined {
  const facts = {
    ...met,
    ...(page?.place === 'list' ? { page: shortened(page) } : {}),
    ...(page === undefined || page.said.texts.length === 0 ? {} : { texts: page.said.texts.map(({ value }) => value) }),
    ...(equal === 0 ? {} : { equal }),
    ...(empty === 0 ? {} : { empty }),
    ...(isUnsorted === true ? { isUnsorted } : {}),
    ...(total?.isSteady === false ? { isUnsteady: true } : {}),
    ...(total?.isOfAll === false ? { isOfPage: true } : {}),
  };
  return Object.keys(facts).length === 0 ? undefined : facts;
}

/** Returns what a resumed call knows from its last checkpoint. */
export function knownFrom({ items, evidence }: Checkpoint): Known {
  const facts = factsCodec.decode(evidence?.facts ?? {});
  const {
    page,
    texts = [],
    equal = 0,
    empty = 0,
    isUnsorted,
    isUnsteady,
    isOfPage,
    ...met
  } = isRight(facts) ? facts.right : {};
  return {
    ...NOTHING_KNOWN,
    ...{ texts, equal, empty },
    met: Object.keys(met).length === 0 ? NOTHING_MET : met,
    hasLists: items > 0 && evidence?.single !== true,
    ...(page === undefined ? {} : { page: { ...page, place: 'list', said: { ...NOTHING_SAID, ...page.said } } }),
    ...(isUnsorted === true ? { isUnsorted } : {}),
    ...(evidence?.columns === undefined ? {} : { columns: evidence.columns }),
    ...(evidence?.print === undefined ? {} : { lastPrint: evidence.print }),
    ...(evidence?.total === undefined ? {} : { total: totalBefore(evidence.total, isUnsteady, isOfPage) }),
  };
}

const shortened = ({ count, isFull, said: { flag, address, last, noNext } }: PageFacts) => ({
  ...{ count, isFull },
  said: {
    ...(flag === undefined ? {} : { flag }),
    ...(address === undefined ? {} : { address }),
    ...(last === undefined ? {} : { last }),
    ...(noNext === undefined ? {} : { noNext }),
  },
});

const totalBefore = (value: number, isUnsteady = false, isOfPage = false): KnownTotal => ({
  ...{ value, where: 'in an earlier response', isSteady: !isUnsteady, isOfAll: !isOfPage },
});
