/** The facts of a call by which it is judged: plain records, made once a page; and what a checkpoint keeps of them. */
import type { EvidenceFacts } from '../../core/evidence';
import type { Checkpoint, Json } from '../../core/model';
import type { FoundItems } from '../items';
import { NOTHING_SAID } from './said';
import type { Said, Sign, Total } from './said';

/** Why a call asked for no other page. */
export type End =
  /** The pagination method ends there: a short page, a page without items, no next address. */
  | 'ordinary'
  /** The configuration wants no more: `forceStop`, `limitStop` with a number, or a rule with `stop`. */
  | 'wanted'
  /** `nextPageFlag` or `stopWhenEmpty` read the end in the response. */
  | 'read'
  /** As many items have come as `limitStop` reads in the response. */
  | 'counted'
  /** A rule with `end` or `last` says so. */
  | 'declared'
  /** The last page came again, and was left out. */
  | 'again'
  /** The API refused a page with a status that means that there is none. */
  | 'refused'
  /** Three pages without items came, one behind the other, and each names another one. */
  | 'empty-pages';

/** What one page shows. */
export interface PageFacts {
  /** The number of items that the API sent. */
  readonly count: number;
  /** What was at the place of the items. */
  readonly place: 'list' | 'value' | 'blank' | 'text' | 'missing' | 'empty';
  /** True if it has as many items as were asked for; any items, where no page size is known. */
  readonly isFull: boolean;
  /** True if it is the response of the page before without a list: all that it has, that one had as well. */
  readonly leavesListOut?: true;
  readonly said: Said;
}

/** How a page came again that was left out. */
export type Again =
  /** It has the items of the page before it. */
  | 'page-before'
  /** It has the items of an earlier page, which have ids. */
  | 'earlier'
  /** It was asked for at an address, or by a token, that an earlier page has had. */
  | 'ring'
  /** It is the third equal page in a row, where `equalPages` is `keep`. */
  | 'third'
  /** It has most of the items of the page before it, which have ids. */
  | 'mostly';

/** What the pages of a call show at its end. */
export interface CallFacts {
  readonly endpoint: string;
  /** How the next page is found. */
  readonly by: 'position' | 'address' | 'token' | 'nothing';
  /** True for a call of a child, whose parent item may have nothing below it. */
  readonly isChild: boolean;
  /** The pages and items that were taken. */
  readonly pages: number;
  readonly items: number;
  /** The number of different ids of the items; absent where they have none. */
  readonly distinct?: number;
  readonly total?: KnownTotal;
  /** The place of the total that the configuration names, in words. */
  readonly declared?: string;
  /** What its path was likely meant to be, in a sentence. */
  readonly meant?: string;
  readonly end: End;
  /** The reason of the end in words, as the log has it. */
  readonly because: string;
  /** The last response, and the page before it. */
  readonly last: PageFacts;
  readonly before?: PageFacts | undefined;
  readonly again?: Again;
  /** What the last response alone shows, and what was met on the way. */
  readonly now: Now;
  readonly met: Met;
}

/** What the last response of a call alone shows. */
export interface Now {
  /** True if it names itself as the next one. */
  readonly namesItself?: boolean;
  /** It says this in a sentence that no earlier page has. */
  readonly text?: Sign;
  /** It has the status 202, and no items. */
  readonly notReady?: boolean;
}

/** What the pages of a call have shown on the way. */
export interface Met {
  /** True if a page gave an address or a token of another one. */
  readonly hadNext?: boolean;
  /** The token of the next page has changed on the way; and it is now the one that was just sent. */
  readonly token?: 'moves' | 'stays';
  /** The number of items whose ids came before. */
  readonly repeated?: number;
  /** The API says of the first page that there is one before it. */
  readonly previous?: Sign;
  /** The first page was requested without the page size, and has fewer items. */
  readonly unsized?: number;
  /** The items of a page are not in the order in which the pagination goes on, and those of a later page came behind them. */
  readonly disorder?: boolean;
  /** The cursor cut a fraction off a number. */
  readonly cut?: { readonly from: string; readonly to: string };
  /** A page behind a key has an item with that key. */
  readonly keyAgain?: boolean;
  /** A key on the path to the items occurs twice in an object, with values that differ. */
  readonly repeatedKey?: string;
  /** A redirect lost the position of a later page. */
  readonly redirected?: boolean;
  /** Only the end of the connection marks the end of a response of lines. */
  readonly endUnknown?: boolean;
  /** A page has other columns than the rows before: these, and those. */
  readonly columns?: readonly [readonly string[], readonly string[]];
}

export const NOTHING_NOW: Now = {};
export const NOTHING_MET: Met = {};

/** A total, and whether each page gave the same. */
export interface KnownTotal extends Total {
  readonly isSteady: boolean;
  /** True if it is more than a page has, so that it counts the items of all pages. */
  readonly isOfAll: boolean;
}

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
  const { hadNext, token, repeated, previous, disorder, cut, repeatedKey, redirected, endUnknown, columns } = facts;
  const before = signIn(previous);
  const [own, others] = Array.isArray(columns) ? columns.map(textsIn) : [];
  return {
    ...(hadNext === true ? { hadNext } : {}),
    ...(token === 'moves' || token === 'stays' ? { token } : {}),
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
