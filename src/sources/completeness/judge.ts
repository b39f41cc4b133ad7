/** Judges the pages of a call when they arrive (docs/completeness.md). */
import { FatalError } from '../../core/errors/errors';
import { cacheHint, isFailure } from '../../core/errors/response-facts';
import type { Doubt, Evidence, Shaped } from '../../core/evidence';
import { sameJson } from '../../core/json/literals';
import { isObject, isWithout } from '../../core/json/objects';
import { pathHint, jsonPathOf } from '../../core/json/path';
import { isBlank, typeName } from '../../core/json/scalars';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, Reply, Response } from '../../core/model';
import { goOn, stop } from '../../language/parts/pagination/paginator';
import type { Next, Step } from '../../language/parts/pagination/paginator';
import { isTopLevel } from '../call';
import type { AcceptedPage } from '../checkpoint';
import type { CallState } from '../call-state';
import { NOTHING_FOUND } from '../items';
import type { FoundItems } from '../items';
import { secondsNow } from '../job-run';
import type { JobRun, Ruled } from '../job-run';
import { totalPlaceText } from '../response-values';
import { verdictOf } from '../stops';
import type { Verdict } from '../stops';
import { NOTHING_MET, NOTHING_NOW, factsAfter } from './facts';
import type { Again, CallFacts, End, KnownTotal, Met, Now, PageFacts, Known } from './facts';
import { areOthers, columnsIn, losesPosition, hasSameItems, isOfIds, printOf } from './same-pages';
import { RULES, countsAll, proofOf } from './rules';
import { NOTHING_SAID, declaredTotal, listsIn, saidBy } from './said';

/** A page that has arrived. */
export interface Arrived {
  readonly reply: Reply;
  readonly found: FoundItems;
  readonly next: Next;
  /** Why a rule of the configuration takes it for the last page, if one does. */
  readonly isLast?: string | undefined;
}

/** A page as the call takes it, or an empty one in place of a page that came again. */
export interface Judged {
  readonly taken: AcceptedPage;
  readonly known: Known;
  readonly verdict?: Verdict;
}

const ACCEPTED = 202;
const MOST_EMPTY = 3;

/**
 * Returns a page with its evidence, and what is known after it. A page that came again is left out, and ends the call. The call goes on behind
 * a page that is not full where the API says that there is more.
 *
 * @throws FatalError API_SHAPE for a response that has something else in the place of the items than those before
 */
export function judgedPage(running: JobRun, state: CallState, arrived: Arrived): Judged {
  const page = pageFacts(running, state, arrived);
  refuseOtherShape(running, state, arrived, page);
  const again = cameAgain(running, state, arrived);
  if (again !== undefined) {
    const met = { ...state.known.met, ...again.met };
    return endedBehind(running, state, arrived.reply, { ...again, end: 'again', page, met });
  }
  const { known, pages, items } = state;
  const { found, reply } = arrived;
  const total = totalAfter(running, state, arrived, page);
  const verdict = verdictOf(running.plan.stops, state.volume, () => ({
    ...{ reply, items: items + found.count, count: found.count, pages: pages + 1 },
    ...{ startedAt: running.startedAt, now: secondsNow(running.context) },
  }));
  const now = nowOf(running, state, arrived, page);
  const met = metBy(running, state, arrived, page);
  const empty = found.count === 0 ? known.empty + 1 : 0;
  const next = nextOf(running, state, { page, total, now, empty, ...arrived });
  const columns = columnsIn(running.plan, reply);
  const after: Known = {
    last: found,
    page,
    position: state.step.position,
    hasLists: known.hasLists || (found.place.kind === 'list' && found.count > 0),
    isBeyond: next.kind === 'step' && arrived.next.kind === 'stop',
    met,
    texts:
      page.said.texts.length === 0
        ? known.texts
        : [...known.texts, ...page.said.texts.map(({ value }) => value)].slice(-MOST_TEXTS),
    equal: isSame(running, state, arrived) ? known.equal + 1 : 0,
    empty,
    ...(isUnsorted(running, known, arrived) ? { isUnsorted: true } : {}),
    ...(total === undefined ? {} : { total }),
    ...columnsAfter(columns, known.columns),
  };
  const end = endOf(arrived.isLast, next, verdict, empty);
  const ended =
    end === undefined
      ? undefined
      : factsOf(running, state, { pages: pages + 1, items: items + found.count, total, page, now, met, ...end });
  const evidence = evidenceOf(
    running,
    state,
    { ...arrived, next },
    { page, columns, isWanted: end?.end === 'wanted', ended, after },
  );
  const isStopped = end?.end === 'declared' || end?.end === 'empty-pages';
  return { taken: { reply, found, next: isStopped ? stop(end.because) : next, evidence }, known: after, verdict };
}

const MOST_TEXTS = 100;

/** Returns the facts of a page. Items have no words: neither those of a list nor a response that is an item itself. */
function pageFacts(
  { plan, paginator: { pageSize } }: JobRun,
  { pages, known, previous }: CallState,
  { reply, found }: Arrived,
): PageFacts {
  const { place, count } = found;
  const isItem = place.kind === 'value' && place.path.length === 0;
  const path = place.kind === 'list' || place.kind === 'value' ? place.path : pathOf(plan.items);
  const { rows, path: dataField, delimiter } = plan.items;
  // Where the whole response is made rows, its members are data: only its headers speak of pages.
  const around = rows !== undefined && dataField === delimiter ? { response: reply.response, data: undefined } : reply;
  const said = isItem || isFailure(reply.response.status) ? NOTHING_SAID : saidBy(around, path, count, pages);
  const text =
    place.kind === 'text' ? textIn(place.value) : (sentenceOf(reply, count) ?? otherHeading(known, reply, count));
  return {
    count,
    place: place.kind,
    isFull: count > 0 && (pageSize === undefined || count >= pageSize),
    ...(place.kind === 'missing' && isWithout(reply.data, previous?.data, path) ? { leavesListOut: true } : {}),
    said:
      text === undefined
        ? said
        : {
            ...said,
            texts: [
              ...said.texts,
              {
                where:
                  place.kind === 'text' ? 'a string at the place of the items' : 'a string in place of the response',
                value: text,
              },
            ],
          },
  };
}

const pathOf = ({ path, delimiter }: JobRun['plan']['items']): readonly string[] =>
  path === undefined || path === delimiter ? [] : path.split(delimiter);

/** Returns a line without rows behind it that is not the header of the rows before, and so a sentence. */
const otherHeading = ({ columns = [] }: Known, { response: { heading } }: Reply, count: number): string | undefined =>
  count > 0 || heading === undefined || columns.every((name) => heading.includes(name)) ? undefined : heading;

/** Returns the string that is a whole response, where an object or an array was expected. */
function sentenceOf(reply: Reply, count: number): string | undefined {
  // The data of a page with items are parsed when somebody reads them.
  const data = count === 0 ? reply.data : undefined;
  return typeof data === 'string' && !isBlank(data) ? data : undefined;
}

const textIn = (value: Json): string => (typeof value === 'string' ? value : stringifyJson(value));

/**
 * Refuses a response that has something else in the place of the items than the pages before, which had lists: a number, a page of HTML, or
 * lists elsewhere.
 *
 * @throws FatalError API_SHAPE
 */
function refuseOtherShape(
  running: JobRun,
  { known, pages }: CallState,
  { reply, found }: Arrived,
  { said }: PageFacts,
): void {
  if (!known.hasLists || isFailure(reply.response.status)) return;
  const { plan, completeness, context, ref } = running;
  const { place } = found;
  const [item] = place.kind === 'value' ? found.items : [];
  const lists = place.kind === 'missing' ? listsIn(reply.data) : [];
  const what =
    place.kind === 'value' && !isObject(item)
      ? `a ${typeName(item)}`
      : lists.length > 0
        ? `nothing, but items at ${lists.map((each) => `"${each}"`).join(', ')}`
        : said.error?.value === 'HTML'
          ? 'a page of HTML'
          : undefined;
  if (what === undefined) return;
  const where = plan.items.path === undefined ? 'the place of the items' : `dataField "${plan.items.path}"`;
  const message =
    `${plan.path}: page ${pages + 1} of ${plan.endpoint} has ${what} at ${where}, where the pages before had lists. Pagination cannot go on ` +
    `safely; "completeness": "off" in the job takes such a page as it is.${cacheHint(reply.response)}`;
  if (completeness === 'error') throw new FatalError('API_SHAPE', message);
  context.report({ type: 'warning', code: 'LIST_MISSING', job: ref, message });
}

/** How a page came again, and the reason in words. */
interface CameAgain {
  readonly again?: Again;
  readonly met?: Met;
  readonly because: string;
}

/** Returns whether a page has the items of the page before it, also of one that an interrupted run had. */
function isSame({ plan }: JobRun, { known: { last, lastPrint } }: CallState, { found }: Arrived): boolean {
  if (found.count === 0 || plan.stream !== undefined) return false;
  if (last === undefined) return lastPrint !== undefined && lastPrint === printOf(found);
  return hasSameItems(last.whole ?? last, found.whole ?? found);
}

/** Returns how a page came again, if it did: it is left out then, and ends the call. */
function cameAgain(running: JobRun, state: CallState, arrived: Arrived): CameAgain | undefined {
  const { paginator, plan } = running;
  const { found } = arrived;
  const { known, pages } = state;
  if (paginator.by === 'nothing') return undefined;
  if (found.count > 0 && isSame(running, state, arrived)) {
    const because = `Page ${pages + 1} equals page ${pages}, stopping pagination.`;
    const areKept = plan.equalPages === 'keep' || (paginator.by === 'position' && areOtherRows(state, found));
    if (areKept) return known.equal > 0 && !isCounted(running, state) ? { again: 'third', because } : undefined;
    if (paginator.staysAtEnd === true && known.position !== undefined && sameJson(known.position, state.step.position))
      return { because };
    if (paginator.by === 'position' || known.met.token === 'stays' || isOfIds(found))
      return { again: 'page-before', because, met: isRedirected(running, state, arrived) ? { redirected: true } : {} };
  }
  return paginator.by === 'position' ? positionAgain(running, state, arrived) : nameAgain(running, state, arrived);
}

/** Returns whether equal rows are others: a total of all items has room for them, the page before does not deny it, and they have no ids. */
const areOtherRows = ({ known: { total, page }, items }: CallState, found: FoundItems): boolean =>
  total?.isOfAll === true &&
  items + found.count <= total.value &&
  page?.said.last === undefined &&
  page?.said.noNext === undefined &&
  !isOfIds(found);

/** Returns whether the configuration wants equal pages, and counts how many are to come. */
const isCounted = ({ plan }: JobRun, { known: { total }, items }: CallState): boolean =>
  plan.equalPages === 'keep' && plan.total !== undefined && total !== undefined && items < total.value;

const RING_IN_A_ROW = 2;

function positionAgain(
  { paginator, plan, visited }: JobRun,
  { known: { last }, pages }: CallState,
  { found, next }: Arrived,
): CameAgain | undefined {
  if (found.count === 0 || plan.equalPages === 'keep') return undefined;
  const row = visited.again(printOf(found));
  const because = `Page ${pages + 1} came before, stopping pagination.`;
  if (row > 0 && found.count > 1 && isOfIds(found)) return { again: 'earlier', because };
  if (row > RING_IN_A_ROW) return { again: 'ring', because };
  const { identityOf } = paginator;
  if (last === undefined) return undefined;
  if (identityOf !== undefined) {
    if (next.kind === 'step' && next.isMet === false) return undefined;
    const before = new Set(last.items.map(identityOf));
    const common = found.items.filter((item) => before.has(identityOf(item))).length;
    if (common === 0) return undefined;
    // The API gives what has the number at which the cursor stands, and there is nothing behind it.
    return common === found.count && paginator.staysAtEnd === true ? { because } : { met: { keyAgain: true }, because };
  }
  if (pages !== 1 || paginator.staysAtEnd === true || paginator.repeated !== undefined || !isOfIds(found))
    return undefined;
  const had = new Set(last.ids());
  const common = found.ids()?.filter((id) => had.has(id)).length ?? 0;
  if (common === found.count || common * 2 <= found.count) return undefined;
  // Other items with the same ids are those of a series.
  const items = new Set(last.items.map((item) => stringifyJson(item)));
  const same = found.items.filter((item) => items.has(stringifyJson(item))).length;
  return same * 2 > found.count ? { again: 'mostly', because } : undefined;
}

/** An address that is asked for again, or a token with the same items, leads in a ring. */
function nameAgain(
  { paginator, visited, visitedItems, plan }: JobRun,
  { known: { last, lastPrint }, pages, step }: CallState,
  { found, reply, next }: Arrived,
): CameAgain | undefined {
  // The page before an interruption led here.
  if (lastPrint !== undefined) visited.again(`position ${stringifyJson(step.position)} ${lastPrint}`);
  const { request } = reply.response;
  const address =
    paginator.by === 'address' ? `address ${request.method} ${request.url} ${request.body ?? ''}` : undefined;
  const token = next.kind === 'stop' ? undefined : `position ${stringifyJson(next.step.position)} ${printOf(found)}`;
  const isAgain = [address, token].map((key) => key !== undefined && visited.again(key) > 0).includes(true);
  const because = `Page ${pages + 1} came before, stopping pagination.`;
  if (isAgain && found.count === 0 && (last === undefined || last.count === 0)) return { because };
  if (isAgain) return { again: 'ring', because };
  const isSeen = found.count > 1 && plan.equalPages !== 'keep' && visitedItems.again(printOf(found)) > 0;
  return isSeen && isOfIds(found) ? { again: 'ring', because } : undefined;
}

/** A later page that a redirect took from its position is another page. */
const isRedirected = (
  { paginator: { by } }: JobRun,
  { previous }: CallState,
  { reply: { response } }: Arrived,
): boolean => by === 'position' && previous !== undefined && losesPosition(response.request, previous.response.request);

/** Returns what a response alone shows. */
function nowOf(
  { plan, paginator: { by } }: JobRun,
  { known, step }: CallState,
  { reply, found, next }: Arrived,
  { said }: PageFacts,
): Now {
  const { status, request } = reply.response;
  const now: { -readonly [K in keyof Now]: Now[K] } = {};
  if (next.kind === 'step' && namesItself(by, step, next.step, request.url, found.count)) now.namesItself = true;
  const text = said.texts.length === 0 ? undefined : said.texts.find(({ value }) => !known.texts.includes(value));
  if (text !== undefined) now.text = text;
  if (status === ACCEPTED && found.count === 0 && plan.asynchronous === undefined) now.notReady = true;
  return Object.keys(now).length === 0 ? NOTHING_NOW : now;
}

/** Returns whether a page names itself as the next one: that ends a call as `null` does. A token may be the same for all pages that have items. */
function namesItself(by: CallFacts['by'], step: Step, next: Step, url: string, count: number): boolean {
  if (by === 'address') return next.change.address === url;
  return by === 'token' && count === 0 && sameJson(next.position, step.position);
}

/** Returns what was met up to a page, the page included. */
function metBy(running: JobRun, state: CallState, arrived: Arrived, page: PageFacts): Met {
  const { reply, found, next } = arrived;
  const { known, pages } = state;
  const { plan, paginator } = running;
  const { response } = reply;
  const { said } = page;
  const met: { -readonly [K in keyof Met]: Met[K] } = { ...known.met };
  if (said.address !== undefined) met.hadNext = true;
  if (paginator.by === 'token' && next.kind === 'step' && pages > 0) {
    // A scroll has the same token from the beginning; its pages differ.
    if (!sameJson(next.step.position, state.step.position)) met.token = 'moves';
    else if (met.token !== undefined) met.token = 'stays';
  }
  const repeated = pages === 0 ? 0 : repeatedIn(running, known, found);
  if (repeated > 0) met.repeated = (known.met.repeated ?? 0) + repeated;
  if (known.isUnsorted === true && found.count > 0) met.disorder = true;
  if (next.kind === 'step' && next.cut !== undefined)
    met.cut = { from: stringifyJson(next.cut.from), to: stringifyJson(next.cut.to) };
  if (reply.repeatedKey !== undefined) met.repeatedKey = reply.repeatedKey;
  if (isRedirected(running, state, arrived)) met.redirected = true;
  if ((plan.stream === undefined ? reply.mayBeCut : response.isEndUnknown) === true) met.endUnknown = true;
  const columns = columnsIn(plan, reply);
  if (
    columns !== undefined &&
    known.columns !== undefined &&
    known.columns.length > 0 &&
    areOthers(columns, known.columns)
  )
    met.columns = [columns, known.columns];
  if (pages === 0 && found.count > 0) {
    const { by, first, unsized, pageSize } = paginator;
    const isCounted = by === 'position' && typeof first.position === 'number' && first.position <= USUAL_BEGINNING;
    if (isCounted && said.previous !== undefined) met.previous = said.previous;
    // No API goes by pages of one item.
    if (unsized !== undefined && found.count > 1 && !page.isFull && pageSize !== undefined) met.unsized = pageSize;
  }
  return Object.keys(met).length === 0 ? NOTHING_MET : met;
}

/** The number of the first page in most APIs: a configuration that begins at a later page does so on purpose. */
const USUAL_BEGINNING = 1;

/** Counts the items whose ids came before. The ids of the first page are remembered when there is a second. */
function repeatedIn({ ids }: JobRun, { last }: Known, found: FoundItems): number {
  if (last !== undefined && !ids.areKeys()) ids.add(last);
  return ids.add(found);
}

const isUnsorted = ({ paginator }: JobRun, { isUnsorted: was }: Known, { found, next }: Arrived): boolean =>
  was === true || (next.kind === 'step' && found.count > 1 && paginator.leavesOut?.(found.items) === true);

/** Returns the step after a page: another one, where the API says that there is more behind a page that is not full. */
function nextOf(
  { paginator }: JobRun,
  { step, items, known }: CallState,
  {
    next,
    reply,
    found,
    page,
    total,
    now,
    empty,
  }: Arrived & {
    readonly page: PageFacts;
    readonly total: KnownTotal | undefined;
    readonly now: Now;
    readonly empty: number;
  },
): Next {
  if (now.namesItself === true) return stop('The page names itself as the next one, stopping pagination.');
  if (empty >= MOST_EMPTY && next.kind === 'step' && paginator.by !== 'position') return stop(EMPTY_PAGES);
  const isOpen = next.kind === 'stop' && next.isWanted !== true && next.isKnown !== true;
  if (!isOpen || paginator.beyond === undefined || page.place !== 'list' || found.count === 0) return next;
  const { said } = page;
  const count = items + found.count;
  const isWhole = total !== undefined && countsAll(total) && count === total.value;
  if (isWhole || said.last !== undefined) return next;
  const isCounted = total !== undefined && count < total.value;
  const isCapped = said.isOfSize && paginator.pageSize !== undefined && found.count < paginator.pageSize;
  const isNamed =
    said.flag !== undefined ||
    (said.address !== undefined &&
      said.address.value !== known.page?.said.address?.value &&
      !said.address.value.includes(reply.response.request.url));
  return isCounted || isCapped || isNamed ? goOn(paginator.beyond(step, found.count, found)) : next;
}

const EMPTY_PAGES = 'Three pages in a row have no items, stopping pagination.';

/** Returns why a call ends with a page; `undefined` where it goes on. */
function endOf(
  isLast: string | undefined,
  next: Next,
  verdict: Verdict,
  empty: number,
): { readonly end: End; readonly because: string } | undefined {
  if (isLast !== undefined) return { end: 'declared', because: isLast };
  if (next.kind === 'stop' && next.isWanted !== undefined)
    return { end: next.isWanted ? 'wanted' : 'ordinary', because: next.because };
  if (verdict.kind === 'stop') return { end: ENDS[verdict.why], because: verdict.because };
  if (next.kind === 'step') return undefined;
  return {
    end: empty >= MOST_EMPTY && next.because === EMPTY_PAGES ? 'empty-pages' : 'ordinary',
    because: next.because,
  };
}

const ENDS = { wanted: 'wanted', ended: 'read', counted: 'counted', unsure: 'ordinary' } as const;

/** Returns the total after a page: what the last page with items says, or the largest that stands at the declared place. */
function totalAfter(
  { plan, paginator }: JobRun,
  { known: { total }, pages }: CallState,
  { reply }: Arrived,
  { said, count }: PageFacts,
): KnownTotal | undefined {
  if (plan.total !== undefined) {
    const declared = declaredTotal(reply, plan.total);
    return declared === undefined || declared.value < (total?.value ?? 0)
      ? total
      : { isSteady: true, isOfAll: true, ...declared };
  }
  const { total: now } = said;
  if (now === undefined || plan.hasNoTotal === true || isOfSeveral(plan)) return total;
  if (pages > 0 && (total === undefined || count === 0)) return total;
  if (pages === 0) return { isSteady: true, isOfAll: now.value > Math.max(count, paginator.pageSize ?? 0), ...now };
  return now.value === total?.value ? total : { isSteady: false, isOfAll: false, ...now };
}

/** Returns whether the items come from several places of a response: the API may count these places. */
const isOfSeveral = ({ items: { path, delimiter } }: JobRun['plan']): boolean => {
  const query = path === undefined ? undefined : jsonPathOf(path, delimiter);
  return query !== undefined && !query.isSingular && !query.takesEach;
};

/** Returns the columns of the rows so far. Where they change there is one warning, and nothing to compare afterwards. */
function columnsAfter(columns: Columns, before: Columns): Pick<Known, 'columns'> {
  if (columns === undefined || before?.length === 0) return before === undefined ? {} : { columns: before };
  return { columns: before !== undefined && areOthers(columns, before) ? [] : columns };
}

type Columns = readonly string[] | undefined;

interface Ended {
  readonly end: End;
  readonly because: string;
  readonly pages: number;
  readonly items: number;
  readonly total: KnownTotal | undefined;
  readonly page: PageFacts;
  readonly now: Now;
  readonly met: Met;
  readonly again?: Again | undefined;
}

function factsOf({ plan, paginator, call, ids }: JobRun, { known }: CallState, ended: Ended): CallFacts {
  const { total, page, again, met, ...rest } = ended;
  const { repeated = 0, ...others } = met;
  // A cursor asks for the items again at which it stands.
  const isAsked = paginator.staysAtEnd === true;
  return {
    met: isAsked ? others : met,
    endpoint: plan.endpoint,
    by: paginator.by,
    isChild: !isTopLevel(call),
    last: page,
    ...rest,
    ...(known.page === undefined ? {} : { before: known.page }),
    ...(ids.areKeys() ? { distinct: ended.items - repeated } : {}),
    ...(total === undefined ? {} : { total }),
    ...(plan.total === undefined ? {} : { declared: totalPlaceText(plan.total) }),
    ...(plan.total !== undefined && 'path' in plan.total ? { meant: pathHint(plan.total.path) } : {}),
    ...(again === undefined ? {} : { again }),
  };
}

/** Nothing was said and nothing met, as in most calls: no rule speaks of them. */
export const isSilent = ({ last, now, met, total, declared, again, end }: CallFacts): boolean =>
  last.said === NOTHING_SAID &&
  now === NOTHING_NOW &&
  met === NOTHING_MET &&
  (total ?? declared ?? again) === undefined &&
  end === 'ordinary' &&
  last.count > 0;

const SILENT: CallJudgement = { findings: [] };

/** The judgement of a call. */
export interface CallJudgement {
  /** What proves its end; absent where nothing does. */
  readonly proof?: string;
  readonly findings: readonly Doubt[];
}

/**
 * Judges a call by its facts: what proves its end outweighs every sign of more, and most doubts.
 *
 * @example judgeCall(facts).findings.map(({ code }) => code) // []
 */
export function judgeCall(facts: CallFacts): CallJudgement {
  if (isSilent(facts)) return SILENT;
  const proof = proofOf(facts);
  const forFacts = <T>(value: T | ((facts: CallFacts) => T)): T => (value instanceof Function ? value(facts) : value);
  const findings = RULES.filter(
    (rule) => (proof === undefined || forFacts(rule.despiteProof) === true) && rule.when(facts),
  ).map(({ code, level, say }): Doubt => ({
    code,
    level: forFacts(level) === 'contradiction' ? 'error' : 'warning',
    message: say(facts),
    ...(code === 'API_MESSAGE' ? { quoted: facts.now.text?.value ?? '' } : {}),
  }));
  return { findings, ...(proof === undefined ? {} : { proof }) };
}

interface PageEnd {
  readonly page: PageFacts;
  readonly columns: Columns;
  readonly isWanted: boolean;
  readonly ended: CallFacts | undefined;
  readonly after: Known;
}

const NO_CONTENT = 204;

/** Returns the evidence of a page; `undefined` if there is none. */
function evidenceOf(
  { plan, paginator, call }: JobRun,
  { pages }: CallState,
  { reply, found, next }: Arrived,
  { page, columns, isWanted, ended, after }: PageEnd,
): Evidence | undefined {
  const isRefused = isFailure(reply.response.status);
  const { place } = found;
  const unmet =
    place.kind === 'missing' && !isRefused
      ? listsIn(reply.data)
      : place.kind === 'empty' && reply.response.status !== NO_CONTENT
        ? []
        : undefined;
  const doubts = ended === undefined ? [] : judgeCall(ended).findings;
  const hint = cacheHint(reply.response);
  const facts = next.kind === 'step' ? factsAfter(after) : undefined;
  const { total } = after;
  const isFirst = pages === 0 && found.count > 0;
  const isOneOfSeveral = plan.slices !== undefined || !isTopLevel(call);
  const said = page.said.texts;
  const evidence = {
    ...(unmet === undefined ? {} : { unmet }),
    ...(total === undefined ? {} : { total: total.value }),
    ...(doubts.length === 0
      ? {}
      : { doubts: hint === '' ? doubts : doubts.map((each) => ({ ...each, message: each.message + hint })) }),
    ...(isWanted ? { stopped: true } : {}),
    ...(paginator.by !== 'nothing' && next.kind === 'step' && found.count > 0 ? { print: printOf(found) } : {}),
    ...(facts === undefined ? {} : { facts }),
    ...(place.kind === 'value' ? { single: true } : {}),
    ...(columns === undefined || isRefused ? {} : { columns }),
    ...(isFirst && plan.slices !== undefined ? { begins: printOf(found) } : {}),
    ...(isFirst && isOneOfSeveral && said.length > 0 ? { texts: said.map(({ value }) => value) } : {}),
  };
  return Object.keys(evidence).length === 0 ? undefined : evidence;
}

/** Returns the evidence of a page, with the counts of its items and the fields found in them; `undefined` if there is none. */
export function withItems(
  evidence: Evidence | undefined,
  shaped: Shaped | undefined,
  found: Pick<Evidence, 'met' | 'keys'>,
): Evidence | undefined {
  if (shaped === undefined && found.met === undefined && found.keys === undefined) return evidence;
  return Object.assign({}, evidence, shaped === undefined ? undefined : { shaped }, found);
}

/** Statuses that mean that a page does not exist, and statuses that may mean it. */
const NO_PAGE: ReadonlySet<number> = new Set([404, 410, 416]);
const MAYBE_NO_PAGE: ReadonlySet<number> = new Set([400, 422]);

/**
 * Returns the end of a call whose last request was refused with a status that means that there is no page behind the last one. A page that was
 * only asked for because the API says that there is more may be refused in other ways, too.
 *
 * @returns `undefined` where the status is an error like any other
 */
export function refusedPage(running: JobRun, state: CallState, response: Response): Judged | undefined {
  const { known, items, pages } = state;
  const { status } = response;
  if (running.completeness === 'off' || running.paginator.by !== 'position' || items === 0) return undefined;
  const isWhole = known.total?.isSteady === true && items >= known.total.value;
  if (!(NO_PAGE.has(status) || (MAYBE_NO_PAGE.has(status) && (known.isBeyond || isWhole)))) return undefined;
  const because = `The API has no page ${pages + 1}: it answers with status ${status}.`;
  return endedBehind(running, state, { response, data: undefined }, { end: 'refused', because });
}

/** Returns the doubts about a call that a rule of the configuration ends behind the pages that it has. */
export const ruledDoubts = (running: JobRun, state: CallState, { kind, because }: Ruled): readonly Doubt[] =>
  running.completeness === 'off' || state.pages === 0
    ? []
    : findingsBehind(running, state, { end: kind === 'end' ? 'declared' : 'wanted', because });

const NO_PAGE_BEHIND: PageFacts = { count: 0, place: 'blank', isFull: false, said: NOTHING_SAID };

/** What ends a call that has no page of the response that ends it. */
type EndedBehind = Pick<Ended, 'end' | 'because'> & Partial<Ended>;

/** Returns the end of a call at a response that is no page, or left out: an empty page stands for it, whose checkpoint says that the call has ended. */
function endedBehind(running: JobRun, state: CallState, reply: Reply, ended: EndedBehind): Judged {
  const doubts = findingsBehind(running, state, ended);
  const evidence: Evidence | undefined = doubts.length === 0 ? undefined : { doubts };
  return { taken: { reply, found: NOTHING_FOUND, next: stop(ended.because), evidence }, known: state.known };
}

function findingsBehind(running: JobRun, state: CallState, ended: EndedBehind): readonly Doubt[] {
  const { pages, items, known } = state;
  const { total, met } = known;
  const behind = { pages, items, total, met, page: NO_PAGE_BEHIND, now: NOTHING_NOW, ...ended };
  return judgeCall(factsOf(running, state, behind)).findings;
}
