import type { EvidenceFacts } from '../../core/evidence';
import type { Checkpoint, Json } from '../../core/model';
import type { FoundItems } from '../items';
import { NOTHING_MET } from './facts';
import type { KnownTotal, Met, PageFacts } from './facts';
import { NOTHING_SAID } from './said';
import type { Sign } from './said';

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

/** Returns what the checkpoint of a page keeps for the next one, beside what evidence has anyway; `undefined` if that is nothing. */
export function factsAfter({ met, page, isUnsorted, total, equal, empty }: Known): EvidenceFacts | undefined {
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

const shortened = ({ count, isFull, said: { flag, address, last, noNext } }: PageFacts) => ({
  ...{ count, isFull },
  said: {
    ...(flag === undefined ? {} : { flag }),
    ...(address === undefined ? {} : { address }),
    ...(last === undefined ? {} : { last }),
    ...(noNext === undefined ? {} : { noNext }),
  },
});

/** Returns what a resumed call knows from its last checkpoint. */
export function knownFrom({ items, evidence }: Checkpoint): Known {
  const facts = evidence?.facts ?? {};
  const met = metIn(facts);
  const page = pageIn(facts['page']);
  return {
    ...NOTHING_KNOWN,
    ...{ texts: textsIn(facts['texts']) ?? [], equal: countIn(facts['equal']), empty: countIn(facts['empty']) },
    met: Object.keys(met).length === 0 ? NOTHING_MET : met,
    hasLists: items > 0 && evidence?.single !== true,
    ...(page === undefined ? {} : { page }),
    ...(facts['isUnsorted'] === true ? { isUnsorted: true } : {}),
    ...(evidence?.columns === undefined ? {} : { columns: evidence.columns }),
    ...(evidence?.print === undefined ? {} : { lastPrint: evidence.print }),
    ...(evidence?.total === undefined ? {} : { total: totalBefore(evidence.total, facts) }),
  };
}

/** What is not of this form is not known: a journal holds any JSON. */
function metIn(facts: EvidenceFacts): Met {
  const { hadNext, repeated, previous, disorder, cut, repeatedKey, redirected, endUnknown, columns } = facts;
  const before = signIn(previous);
  const [own, others] = Array.isArray(columns) ? columns.map(textsIn) : [];
  return {
    ...(hadNext === true ? { hadNext } : {}),
    ...(countIn(repeated) > 0 ? { repeated: countIn(repeated) } : {}),
    ...(before === undefined ? {} : { previous: before }),
    ...(disorder === true ? { disorder } : {}),
    ...(isRecord(cut) && typeof cut['from'] === 'string' && typeof cut['to'] === 'string'
      ? { cut: { from: cut['from'], to: cut['to'] } }
      : {}),
    ...(typeof repeatedKey === 'string' ? { repeatedKey } : {}),
    ...(redirected === true ? { redirected } : {}),
    ...(endUnknown === true ? { endUnknown } : {}),
    ...(own === undefined || others === undefined ? {} : { columns: [own, others] as const }),
  };
}

function pageIn(page: unknown): PageFacts | undefined {
  if (!isRecord(page) || !isRecord(page['said'])) return undefined;
  const { flag, address, last, noNext } = page['said'];
  const said = { flag: signIn(flag), address: signIn(address), last: signIn(last), noNext: signIn(noNext) };
  const given = Object.fromEntries(Object.entries(said).filter(([, sign]) => sign !== undefined));
  return {
    ...{ count: countIn(page['count']), place: 'list', isFull: page['isFull'] === true },
    said: { ...NOTHING_SAID, ...given },
  };
}

const isRecord = (value: unknown): value is EvidenceFacts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const countIn = (value: unknown): number => (typeof value === 'number' ? value : 0);

const textsIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;

const signIn = (value: unknown): Sign | undefined =>
  isRecord(value) && typeof value['where'] === 'string' && typeof value['value'] === 'string'
    ? { where: value['where'], value: value['value'] }
    : undefined;

const totalBefore = (value: number, { isUnsteady, isOfPage }: EvidenceFacts): KnownTotal => ({
  ...{ value, where: 'in an earlier response', isSteady: isUnsteady !== true, isOfAll: isOfPage !== true },
});
