/** The rules of completeness (docs/completeness.md): what proves the end of a call, what contradicts it, and what is doubtful. */
import type { DoubtCode } from '../../core/evidence';
import { NOTHING_MET } from './facts';
import type { CallFacts, KnownTotal } from './facts';
import type { Sign, Total } from './said';

type Level = 'contradiction' | 'doubt';

/** A rule about a call that has ended. */
export interface Rule {
  readonly code: DoubtCode;
  /** A contradiction makes the run incomplete, a doubt is a warning; some are one or the other by the facts. */
  readonly level: Level | ((facts: CallFacts) => Level);
  /** True if no proof of the end outweighs it. */
  readonly despiteProof?: true | ((facts: CallFacts) => boolean);
  readonly when: (facts: CallFacts) => boolean;
  /** Says what was found, and what to do. */
  readonly say: (facts: CallFacts) => string;
}

/** Returns the items that are not certainly others that came before. */
const arrived = ({ distinct, items }: CallFacts): number => distinct ?? items;

/** Returns what proves that a call has ended where the API ends; `undefined` where nothing does. */
export function proofOf(facts: CallFacts): string | undefined {
  const { total, pages, last, before, again, end, met } = facts;
  const isCounted = total?.isSteady === true && total.isAtLeast !== true && total.value === arrived(facts);
  const { said } = again === undefined ? last : (before ?? last);
  const saysMore = said.flag !== undefined || said.address !== undefined;
  // The number that ends a first page may count what has come so far.
  const isSure = facts.declared !== undefined || total?.isOfAll === true || pages > 1;
  if (isCounted && (isSure || (!saysMore && end !== 'counted'))) return total.where;
  if (end === 'declared') return 'a rule';
  if (end === 'read' && said.flag === undefined) return 'nextPageFlag';
  const words = said.last ?? last.said.last ?? said.noNext;
  if (words !== undefined && !saysMore) return words.where;
  if (last.namesItself === true && again === undefined) return 'a page that names itself as the next one';
  // A response that says that something went wrong may lack the next page for that reason.
  const isPage = last.place === 'list' || (last.leavesListOut === true && last.newText === undefined);
  const isFailure = last.count === 0 && said.error !== undefined;
  if (met.hadNext === true && isPage && !isFailure && !saysMore && again === undefined) return 'no next page';
  const isShort = total !== undefined && total.isOfAll && arrived(facts) < total.value;
  // A token that stays names the page itself.
  if (isStayed(facts) && !isShort && (facts.by === 'token' ? said.flag === undefined : !saysMore))
    return 'the last page, which stays';
  // A page that said that it was the last is the proof, whatever the API answers behind it.
  const isBehind = before !== undefined && again === undefined && last.count === 0 && !saysMore;
  return isBehind
    ? proofOf({ ...facts, end: 'ordinary', last: before, before: undefined, met: NOTHING_MET })
    : undefined;
}

/** A page equals the one before: by position, from the third on; by a token that is the one just sent, after other tokens. */
const isStayed = ({ again, by, pages, met }: CallFacts): boolean =>
  again === 'page-before' && (by === 'position' ? pages > 1 : met.token === 'stays');
const isDeclared = ({ declared }: CallFacts): boolean => declared !== undefined;
const byDeclared = (facts: CallFacts): Level => (isDeclared(facts) ? 'contradiction' : 'doubt');
/** Returns whether a number counts the items of all pages, and no fewer. */
export const countsAll = ({ isSteady, isOfAll, isAtLeast }: KnownTotal): boolean =>
  isSteady && isOfAll && isAtLeast !== true;
const isOver = ({ end }: CallFacts): boolean => end !== 'wanted';
const hasFewer = (facts: CallFacts): boolean => facts.total !== undefined && arrived(facts) < facts.total.value;
const moreOf = ({ last: { said } }: CallFacts): Sign | undefined => said.flag ?? said.address;

/** The rules, contradictions first. */
export const RULES: readonly Rule[] = [
  {
    code: 'TOTAL_NOT_FOUND',
    level: 'contradiction',
    despiteProof: true,
    when: (facts) => isDeclared(facts) && facts.total === undefined && isOver(facts),
    say: ({ endpoint, declared, meant = '', last, before }) =>
      `No response of ${endpoint} had a number at ${declared}, where "total" expects it.${meant}${otherPlace(last.said.total ?? before?.said.total)} Where it is not to be found, as in calls of a ` +
      `child, write "total": "none" in the job.`,
  },
  {
    code: 'TOTAL_NOT_REACHED',
    level: byDeclared,
    despiteProof: isDeclared,
    when: (facts) => isOver(facts) && hasFewer(facts),
    say: (facts) =>
      `${counted(facts)}.${facts.by === 'nothing' ? ' No pagination reads the others: set api.pagination.' : ''} ${OTHER_TOTAL}`,
  },
  {
    code: 'TOTAL_EXCEEDED',
    level: byDeclared,
    despiteProof: isDeclared,
    when: (facts) =>
      facts.total !== undefined && arrived(facts) > facts.total.value && (isDeclared(facts) || countsAll(facts.total)),
    say: (facts) =>
      `${counted(facts)}: pages overlap, or the API ignores the page size. ` +
      (isDeclared(facts)
        ? 'Check limit and limitParam in api.pagination, and whether that number counts the items of all pages.'
        : OTHER_TOTAL),
  },
  {
    code: 'NEXT_PAGE_NOT_TAKEN',
    level: 'contradiction',
    when: (facts) =>
      facts.pages === 1 &&
      facts.last.count > 0 &&
      facts.again === undefined &&
      isOver(facts) &&
      (facts.end === 'ordinary' ? moreOf(facts) !== undefined : facts.last.said.flag !== undefined),
    say: (facts) =>
      `Only the first page of ${facts.endpoint} was read, ${facts.items} items, although the API says with ${moreOf(facts)?.where} that ` +
      `there is another one. (${facts.because}) Set api.pagination accordingly, or "forceStop": {"pages": 1} if one page is wanted.`,
  },
  {
    code: 'PAGE_SKIPPED',
    level: 'contradiction',
    despiteProof: true,
    when: ({ met }) => met.previous !== undefined,
    say: ({ endpoint, met: { previous } }) =>
      `The API says with ${previous?.where} that there is a page before the first one of ${endpoint} that was requested, and its items are ` +
      `missing. If the API counts from 0, set "firstPage": 0 in api.pagination; else check the names of the parameters there.`,
  },
  {
    code: 'POSITION_IGNORED',
    level: 'contradiction',
    when: (facts) => facts.again === 'page-before' && !isStayed(facts) && facts.met.redirected !== true,
    say: positionIgnored,
  },
  {
    code: 'PAGES_OVERLAP',
    level: 'contradiction',
    when: ({ again }) => again === 'mostly',
    say: ({ endpoint, pages }) =>
      `Page ${pages + 1} of ${endpoint} has most of the items of page ${pages}: the next position is not a page further on. Pagination ended ` +
      `there. If the API counts items where the pagination counts pages, use the method "offset"; else check the names of the parameters in api.pagination.`,
  },
  {
    code: 'PAGE_RING',
    level: 'contradiction',
    when: ({ again }) => again === 'ring' || again === 'third',
    say: ({ endpoint, pages, again }) =>
      again === 'ring'
        ? `Page ${pages + 1} of ${endpoint} was there before: the next pages of the API lead in a ring. Pagination ended there, and what the ring ` +
          `leaves out is missing. Check api.pagination, or report it to the provider of the API.`
        : `Pages ${pages - 1} to ${pages + 1} of ${endpoint} are equal, and nothing says that there is an end: the API may ignore the parameters that the ` +
          `pagination sends. Pagination ended there. Check their names in api.pagination; if the items are really equal, declare a "total" in the job, beside "equalPages": "keep".`,
  },
  {
    code: 'ERROR_IN_BODY',
    level: 'contradiction',
    when: ({ last }) => last.count === 0 && last.said.error !== undefined,
    say: saysError,
  },
  {
    code: 'NOT_READY',
    level: 'contradiction',
    when: ({ last }) => last.isNotReady === true,
    say: ({ endpoint }) =>
      `A response of ${endpoint} has no items, and its status 202 says that they are not there yet. Ask until they are, with "asynchronous" in ` +
      `the job; where the API says with Retry-After when to ask again, api.retryConfig says how often. If nothing is to come, write a rule with "do": "end" for the status.`,
  },
  {
    code: 'REDIRECTED',
    level: 'contradiction',
    when: ({ met }) => met.redirected === true,
    say: ({ endpoint }) =>
      `A later page of ${endpoint} is not the one that was asked for: a redirect led to the same path without the position, and what the page ` +
      `should have is missing. If pages end so, let the pagination end before, by a page size or a total.`,
  },
  {
    code: 'COLUMNS_DIFFER',
    level: ({ isChild }) => (isChild ? 'doubt' : 'contradiction'),
    when: ({ met }) => met.columns !== undefined,
    say: columnsOf,
  },
  {
    code: 'KEY_ORDER',
    level: 'contradiction',
    when: ({ met }) => met.disorder === true,
    say: ({ endpoint }) =>
      `The items of ${endpoint} are not in the order in which the pagination goes on, or several have the number at which a page ends: what lies ` +
      `between is missing. Let the API sort by pagination.idKey; where several items have the same number, use the method "keyset" with "inclusive": true.`,
  },
  {
    code: 'KEY_ORDER',
    level: 'contradiction',
    despiteProof: true,
    when: ({ met }) => met.keyAgain === true,
    say: ({ endpoint }) =>
      `A page of ${endpoint} has an item of the page before, behind which it was to begin: the API begins at the number or key, or is sorted the ` +
      `other way round. Pagination ended there. Set "increment": 1 in api.pagination, or -1 with "reverse"; where several items may have the same ` +
      `number, use the method "keyset" with "inclusive": true.`,
  },
  {
    code: 'PAGES_OVERLAP',
    level: 'doubt',
    despiteProof: true,
    when: ({ met }) => (met.repeated ?? 0) > 0,
    say: ({ endpoint, items, met: { repeated = 0 } }) =>
      `${repeated} of ${items} items of ${endpoint} have the id of an item that came before. Items that are added while pages are read move others ` +
      `to the next page; then a primaryKey in the job, or "unique", keeps one of each. An order that is not fixed does the same, and leaves others out: ` +
      `let the API sort by something that does not change.`,
  },
  {
    code: 'PAGE_REPEATED',
    level: 'doubt',
    when: (facts) => facts.again === 'earlier' || (isStayed(facts) && !hasFewer(facts)),
    say: ({ endpoint, pages }) =>
      `Page ${pages + 1} of ${endpoint} has the items of an earlier page. Pagination ended there: some APIs give their last page, or begin again, behind it; ` +
      `else a cache gave another page than it was asked for, and others are missing. A "total" in the job settles it.`,
  },
  {
    code: 'API_MESSAGE',
    level: 'doubt',
    when: ({ last }) => last.count === 0 && last.said.error === undefined && last.newText !== undefined,
    say: ({ endpoint, pages, last: { newText: text } }) =>
      `${pages > 1 ? 'The last' : 'The only'} response of ${endpoint} has no items, and the API says with ${text?.where}: ` +
      `${quoted(text?.value ?? '')} If that is its way to say that there is no more, write a rule with "do": "end".`,
  },
  {
    code: 'LIST_MISSING',
    level: 'doubt',
    when: ({ last, before, end }) =>
      end !== 'refused' &&
      last.said.error === undefined &&
      (last.place === 'missing' || last.place === 'empty') &&
      before?.place === 'list' &&
      before.isFull &&
      last.newText === undefined,
    say: ({ endpoint }) =>
      `The last response of ${endpoint} has no list, where the page before was full and had one: that may be how the API ends, or a failure. ` +
      `If it is the end, write a rule with "do": "end", or declare a "total".`,
  },
  {
    code: 'PAGE_REFUSED',
    level: 'doubt',
    when: ({ end, before }) => end === 'refused' && before?.isFull !== false,
    say: ({ endpoint, because }) =>
      `${because} The page of ${endpoint} before it is full, so that there may be more. If the API ends so, write a rule with "do": "end" for the status.`,
  },
  {
    code: 'NEXT_PAGE_EMPTY',
    level: 'doubt',
    when: (facts) =>
      facts.last.count === 0 && isOver(facts) && facts.again === undefined && moreOf(facts) !== undefined,
    say: (facts) =>
      `The last page of ${facts.endpoint} has no items, and the API says with ${moreOf(facts)?.where} that there is another one. ` +
      `If it says so on each page, end the pagination with "stopWhenEmpty" or a rule with "do": "end".`,
  },
  {
    code: 'PAGE_CAPPED',
    level: 'doubt',
    when: ({ end, last, pages, total }) =>
      end === 'counted' && last.isFull && (pages === 1 || total?.isSteady === false) && last.count > 0,
    say: ({ endpoint, because }) =>
      `limitStop ended ${endpoint} behind a full page: if its number counts something else than all items, such as those so far, the rest is missing. Where it counts all, declare it as "total", too. (${because})`,
  },
  {
    code: 'PAGE_CAPPED',
    level: 'doubt',
    when: ({ met, end, pages }) => met.unsized !== undefined && end === 'ordinary' && pages === 1,
    say: ({ endpoint, items, met: { unsized } }) =>
      `The first page of ${endpoint} has ${items} items and was requested without a page size ("firstPageParams": false), so that the API went by ` +
      `its own, where "limit" is ${unsized}. If the API gives ${items} items a page, others are missing: leave out "firstPageParams" in ` +
      `api.pagination, or set "limit": ${items}.`,
  },
  {
    code: 'CURSOR_CUT',
    level: 'doubt',
    when: ({ met }) => met.cut !== undefined,
    say: ({ endpoint, met: { cut } }) =>
      `Items of ${endpoint} have numbers with a fraction at pagination.idKey, such as ${cut?.from}, and "cursor" cuts it off: the next page begins ` +
      `at ${cut?.to}, and items between the two are missing, if there are any. Use the method "keyset", which sends the number as it is.`,
  },
  {
    code: 'KEY_REPEATED',
    level: 'doubt',
    despiteProof: true,
    when: ({ met }) => met.repeatedKey !== undefined,
    say: ({ endpoint, met: { repeatedKey } }) =>
      `A response of ${endpoint} has the key ${JSON.stringify(repeatedKey)} twice, where its items are, with values that differ: only the last one ` +
      `counts, and what is in the other is missing. Report it to the provider of the API.`,
  },
  {
    code: 'END_UNKNOWN',
    level: 'doubt',
    when: ({ met }) => met.endUnknown === true,
    say: ({ endpoint }) =>
      `A response of ${endpoint} has neither a length nor chunks, and ended when the connection was closed: were it cut off at the end of a line, ` +
      `nothing would show it. Let the server send Content-Length, or compare the number of items.`,
  },
];

const otherPlace = (total: Total | undefined): string =>
  total === undefined ? '' : ` The API has one at ${total.where}.`;

const OTHER_TOTAL = 'If that counts something else, write "total": "none" in the job.';

function positionIgnored(facts: CallFacts): string {
  const { endpoint, pages, by, total, before, last } = facts;
  const isPosition = by === 'position';
  const isAskedByTotal = hasFewer(facts) && facts.declared === undefined && !(before ?? last).isFull;
  return (
    `Page ${pages + 1} of ${endpoint} has the same items as page ${pages}: the API ignores the ${isPosition ? 'position' : by} that ` +
    `the pagination sends, or counts its pages from another number, or the items are really equal. Pagination ended there. Check the names of ` +
    `the parameters in api.pagination${isPosition ? ', and "firstPage"' : ''}; if the items are equal, set "equalPages": "keep" in the ` +
    `job; if there is one page, "forceStop": {"pages": 1}.` +
    (isAskedByTotal
      ? ` The page was asked for since the API counts ${total?.value} (${total?.where}). ${OTHER_TOTAL}`
      : '')
  );
}

function counted(facts: CallFacts): string {
  const { endpoint, items, pages, distinct, total } = facts;
  const different = distinct === undefined || distinct === items ? '' : `, ${distinct} of them different`;
  const least = total?.isAtLeast === true ? 'at least ' : '';
  return (
    `${items} items of ${endpoint} arrived on ${pages} ${pages === 1 ? 'page' : 'pages'}${different}, and the API counts ` +
    `${least}${total?.value} (${total?.where})${total?.isSteady === false ? ', and on other pages another number' : ''}`
  );
}

function saysError({ endpoint, last }: CallFacts): string {
  const { where = '', value = '' } = last.said.error ?? {};
  return (
    `A response of ${endpoint} has no items, and says with ${where} that something went wrong: ${quoted(value)} ` +
    `If that is its way to say that there is nothing, write a rule with "do": "end".`
  );
}

/** Returns what columns without a name in common mean, and what to do. */
export function otherColumns(endpoint: string, own: readonly string[], before: readonly string[]): string {
  const [name = ''] = before;
  return (
    `${endpoint} has the columns ${shown(own)}, and none of those of the rows before, ${shown(before)}: a first row seems to have been taken ` +
    `for a header, and is missing as a row. If there is no header above each page, name the columns in format.header, and leave the one header ` +
    `out of the items by "exclude", such as ${JSON.stringify(`${name}==${name}`)}.`
  );
}

function columnsOf({ endpoint, met: { columns: [own, before] = [[], []] } }: CallFacts): string {
  return `A page of ${otherColumns(endpoint, own, before)}`;
}

/** The most of a list or a sentence that a message shows; more would not help a reader. */
const MOST_NAMES = 5;
const MOST_CHARACTERS = 200;

const shown = (names: readonly string[]): string =>
  names
    .slice(0, MOST_NAMES)
    .map((name) => JSON.stringify(name))
    .join(', ') + (names.length > MOST_NAMES ? ', …' : '');

function quoted(text: string): string {
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return /^["{[]/.test(cut) ? `${cut}.` : `${JSON.stringify(cut)}.`;
}
