/** Judges the pages of a call when they arrive (docs/completeness.md). */
import { FatalError } from '../../core/errors/errors';
import { cacheHint, isFailure } from '../../core/errors/response-facts';
import type { Doubt, Evidence, Shaped } from '../../core/evidence';
import { sameJson } from '../../core/json/literals';
import { isObject, isWithout } from '../../core/json/objects';
import { pathHint, jsonPathOf } from '../../core/json/path';
import { isBlank, typeName } from '../../core/json/scalars';
import { stringifyJson } from '../../core/json/stringify';
import type { Reply, Response } from '../../core/model';
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
import { NOTHING_MET, areOthers, columnsIn, factsAfter } from './facts';
import type { Arrived, CallFacts, KnownTotal, Met, PageFacts, Known } from './facts';
import { cameAgain, isRedirected, isSame, printOf } from './same-pages';
import { RULES, countsAll, proofOf } from './rules';
import { NOTHING_SAID, declaredTotal, listsIn, saidBy } from './said';
import type { Sign } from './said';

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
  const { reply, found } = arrived;
  const { known } = state;
  const page = pageFacts(running, state, arrived);
  refuseOtherShape(running, state, arrived, page);
  const again = cameAgain(running, state, arrived);
  if (again !== undefined) {
    const met = { ...known.met, ...again.met };
    return endedBehind(running, state, reply, { ...again, end: 'again', last: page, met });
  }
  const pages = state.pages + 1;
  const items = state.items + found.count;
  const total = totalAfter(running, state, arrived, page);
  const met = metBy(running, state, arrived, page);
  const empty = found.count === 0 ? known.empty + 1 : 0;
  const verdict = verdictOf(running.plan.stops, state.volume, () => ({
    ...{ reply, items, count: found.count, pages },
    ...{ startedAt: running.startedAt, now: secondsNow(running.context) },
  }));
  const next = nextOf(running, state, arrived, { page, total, empty });
  const { texts } = page.said;
  const after: Known = {
    last: found,
    page,
    position: state.step.position,
    met,
    empty,
    total,
    hasLists: known.hasLists || (found.place.kind === 'list' && found.count > 0),
    isBeyond: next.kind === 'step' && arrived.next.kind === 'stop',
    isUnsorted: known.isUnsorted || isUnsorted(running, arrived),
    texts: texts.length === 0 ? known.texts : [...known.texts, ...texts.map(({ value }) => value)].slice(-MOST_TEXTS),
    equal: isSame(running, state, arrived) ? known.equal + 1 : 0,
    columns: columnsAfter(columnsIn(running.plan, reply), known.columns),
  };
  const end = endOf(arrived.isLast, next, verdict);
  const doubts = end === undefined ? [] : findings(running, state, { pages, items, total, last: page, met, ...end });
  const how = { isFirst: state.pages === 0, isWanted: end?.end === 'wanted' };
  const evidence = evidenceOf(running, { ...arrived, next }, after, doubts, how);
  const isStopped = end?.end === 'declared' || end?.end === 'empty-pages';
  return { taken: { reply, found, next: isStopped ? stop(end.because) : next, evidence }, known: after, verdict };
}

const MOST_TEXTS = 100;

/** Returns the facts of a page. Items have no words: neither those of a list nor a response that is an item itself. */
function pageFacts(
  { plan, paginator: { pageSize, by } }: JobRun,
  { pages, known, previous, step }: CallState,
  { reply, found, next }: Arrived,
): PageFacts {
  const { place, count } = found;
  const { status, request } = reply.response;
  const isItem = place.kind === 'value' && place.path.length === 0;
  const path = place.kind === 'list' || place.kind === 'value' ? place.path : pathOf(plan.items);
  const { rows, path: dataField, delimiter } = plan.items;
  // Where the whole response is made rows, its members are data: only its headers speak of pages.
  const around = rows !== undefined && dataField === delimiter ? { response: reply.response, data: undefined } : reply;
  const beside = isItem || isFailure(status) ? NOTHING_SAID : saidBy(around, path, count, pages);
  const sentence = sentenceIn(known, reply, found);
  const said = sentence === undefined ? beside : { ...beside, texts: [...beside.texts, sentence] };
  return {
    count,
    place: place.kind,
    said,
    isFull: count > 0 && (pageSize === undefined || count >= pageSize),
    leavesListOut: place.kind === 'missing' && isWithout(reply.data, previous?.data, path),
    newText: said.texts.find(({ value }) => !known.texts.includes(value)),
    namesItself: next.kind === 'step' && namesItself(by, step, next.step, request.url, count),
    isNotReady: status === ACCEPTED && count === 0 && plan.asynchronous === undefined,
  };
}

const pathOf = ({ path, delimiter }: JobRun['plan']['items']): readonly string[] =>
  path === undefined || path === delimiter ? [] : path.split(delimiter);

/** Returns the sentence in place of items or of a response: a string, or a line without rows behind it that is not the header of the rows before. */
function sentenceIn({ columns = [] }: Known, reply: Reply, { place, count }: FoundItems): Sign | undefined {
  if (place.kind === 'text')
    return {
      where: 'a string at the place of the items',
      value: typeof place.value === 'string' ? place.value : stringifyJson(place.value),
    };
  // The data of a page with items are parsed when somebody reads them.
  if (count > 0) return undefined;
  const { data } = reply;
  const { heading } = reply.response;
  const isHeader = heading === undefined || columns.every((name) => heading.includes(name));
  const text = typeof data === 'string' && !isBlank(data) ? data : isHeader ? undefined : heading;
  return text === undefined ? undefined : { where: 'a string in place of the response', value: text };
}

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
  if (known.isUnsorted && found.count > 0) met.disorder = true;
  if (next.kind === 'step' && next.cut !== undefined)
    met.cut = { from: stringifyJson(next.cut.from), to: stringifyJson(next.cut.to) };
  if (reply.repeatedKey !== undefined) met.repeatedKey = reply.repeatedKey;
  if (isRedirected(running, state, arrived)) met.redirected = true;
  if ((plan.stream === undefined ? reply.mayBeCut : response.isEndUnknown) === true) met.endUnknown = true;
  const { columns: before = [] } = known;
  const columns = columnsIn(plan, reply);
  if (columns !== undefined && before.length > 0 && areOthers(columns, before)) met.columns = [columns, before];
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

const isUnsorted = ({ paginator }: JobRun, { found, next }: Arrived): boolean =>
  next.kind === 'step' && found.count > 1 && paginator.leavesOut?.(found.items) === true;

/** Returns the step after a page: another one, where the API says that there is more behind a page that is not full. */
function nextOf(
  { paginator }: JobRun,
  { step, items, known }: CallState,
  { next, reply, found }: Arrived,
  { page, total, empty }: Pick<Known, 'total' | 'empty'> & { readonly page: PageFacts },
): Next {
  if (page.namesItself === true) return stop('The page names itself as the next one, stopping pagination.');
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
): Pick<CallFacts, 'end' | 'because'> | undefined {
  if (isLast !== undefined) return { end: 'declared', because: isLast };
  if (next.kind === 'stop' && next.isWanted !== undefined)
    return { end: next.isWanted ? 'wanted' : 'ordinary', because: next.because };
  if (verdict.kind === 'stop') return { end: ENDS[verdict.why], because: verdict.because };
  if (next.kind === 'step') return undefined;
  return { end: next.because === EMPTY_PAGES ? 'empty-pages' : 'ordinary', because: next.because };
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
function columnsAfter(columns: Known['columns'], before: Known['columns']): Known['columns'] {
  if (columns === undefined || before?.length === 0) return before;
  return before !== undefined && areOthers(columns, before) ? [] : columns;
}

/** What the end of a call shows; the rest of its facts is known. */
type Ended = Pick<CallFacts, 'end' | 'because' | 'again' | 'last' | 'met' | 'pages' | 'items' | 'total'>;

/** Returns what the judge finds about a call that has ended. */
function findings({ plan, paginator, call, ids }: JobRun, { known }: CallState, ended: Ended): readonly Doubt[] {
  const { end, because, again, last, met, pages, items, total } = ended;
  const { repeated = 0, ...others } = met;
  return judgeCall({
    endpoint: plan.endpoint,
    by: paginator.by,
    isChild: !isTopLevel(call),
    pages,
    items,
    total,
    end,
    because,
    again,
    last,
    before: known.page,
    // A cursor asks for the items again at which it stands.
    met: paginator.staysAtEnd === true ? others : met,
    distinct: ids.areKeys() ? items - repeated : undefined,
    declared: plan.total && totalPlaceText(plan.total),
    meant: plan.total !== undefined && 'path' in plan.total ? pathHint(plan.total.path) : undefined,
  }).findings;
}

/** Nothing was said and nothing met, as in most calls: no rule speaks of them. */
export const isSilent = ({ last, met, total, declared, again, end }: CallFacts): boolean =>
  last.said === NOTHING_SAID &&
  last.namesItself !== true &&
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
    ...(code === 'API_MESSAGE' ? { quoted: facts.last.newText?.value ?? '' } : {}),
  }));
  return { findings, ...(proof === undefined ? {} : { proof }) };
}

const NO_CONTENT = 204;

/** Returns the evidence of a page; `undefined` if there is none. */
function evidenceOf(
  { plan, paginator, call }: JobRun,
  { reply, found, next }: Arrived,
  after: Known,
  doubts: readonly Doubt[],
  { isFirst, isWanted }: { readonly isFirst: boolean; readonly isWanted: boolean },
): Evidence | undefined {
  const { status } = reply.response;
  const { place, count } = found;
  const isRefused = isFailure(status);
  const unmet =
    place.kind === 'missing' && !isRefused
      ? listsIn(reply.data)
      : place.kind === 'empty' && status !== NO_CONTENT
        ? []
        : undefined;
  const columns = isRefused ? undefined : columnsIn(plan, reply);
  const hint = cacheHint(reply.response);
  const facts = next.kind === 'step' ? factsAfter(after) : undefined;
  const { texts } = after.page?.said ?? NOTHING_SAID;
  const begins = isFirst && count > 0;
  const isOneOfSeveral = plan.slices !== undefined || !isTopLevel(call);
  const evidence = {
    ...(unmet === undefined ? {} : { unmet }),
    ...(after.total === undefined ? {} : { total: after.total.value }),
    ...(doubts.length === 0 ? {} : { doubts: doubts.map((each) => ({ ...each, message: each.message + hint })) }),
    ...(isWanted ? { stopped: true } : {}),
    ...(paginator.by !== 'nothing' && next.kind === 'step' && count > 0 ? { print: printOf(found) } : {}),
    ...(facts === undefined ? {} : { facts }),
    ...(place.kind === 'value' ? { single: true } : {}),
    ...(columns === undefined ? {} : { columns }),
    ...(begins && plan.slices !== undefined ? { begins: printOf(found) } : {}),
    ...(begins && isOneOfSeveral && texts.length > 0 ? { texts: texts.map(({ value }) => value) } : {}),
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
const GONE: ReadonlySet<number> = new Set([404, 410, 416]);
const MAYBE_GONE: ReadonlySet<number> = new Set([400, 422]);

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
  if (!(GONE.has(status) || (MAYBE_GONE.has(status) && (known.isBeyond || isWhole)))) return undefined;
  const because = `The API has no page ${pages + 1}: it answers with status ${status}.`;
  return endedBehind(running, state, { response, data: undefined }, { end: 'refused', because });
}

/** Returns the doubts about a call that a rule of the configuration ends behind the pages that it has. */
export const ruledDoubts = (running: JobRun, state: CallState, { kind, because }: Ruled): readonly Doubt[] =>
  running.completeness === 'off' || state.pages === 0
    ? []
    : findingsBehind(running, state, { end: kind === 'end' ? 'declared' : 'wanted', because });

const NO_PAGE: PageFacts = { count: 0, place: 'blank', isFull: false, said: NOTHING_SAID };

/** What ends a call that has no page of the response that ends it. */
type EndedBehind = Pick<Ended, 'end' | 'because'> & Partial<Ended>;

/** Returns the end of a call at a response that is no page, or left out: an empty page stands for it, whose checkpoint says that the call has ended. */
function endedBehind(running: JobRun, state: CallState, reply: Reply, ended: EndedBehind): Judged {
  const doubts = findingsBehind(running, state, ended);
  const evidence: Evidence | undefined = doubts.length === 0 ? undefined : { doubts };
  return { taken: { reply, found: NOTHING_FOUND, next: stop(ended.because), evidence }, known: state.known };
}

const findingsBehind = (running: JobRun, state: CallState, ended: EndedBehind): readonly Doubt[] => {
  const { pages, items, known } = state;
  return findings(running, state, { pages, items, total: known.total, met: known.met, last: NO_PAGE, ...ended });
};
