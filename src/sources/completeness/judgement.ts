/** What the pages of all jobs show together, and the judgement of the run at its end (docs/completeness.md). */
import { faultLine } from '../../core/errors/errors';
import type { Fault, JobDoubt } from '../../core/errors/errors';
import type { JobOutcome, Outcome, RunEvent, WarningCode } from '../../core/events';
import type { Doubt, Evidence, Shaped, Completeness, DoubtCode } from '../../core/evidence';
import { pathHint } from '../../core/json/path';
import type { Checkpoint, Page } from '../../core/model';
import { grouped } from '../../core/text';
import { meantOrKnown } from '../../language/codec/finding';
import type { IterationPlan, JobPlan } from '../../plan/plan';
import { soughtFields } from '../shaping/sought-fields';
import type { SoughtField } from '../shaping/sought-fields';
import { areOthers } from './facts';
import { otherColumns } from './rules';

/** The evidence of all pages of one job. */
export interface JobEvidence {
  /** The number of the iteration, and the id of the job. */
  readonly iteration: number;
  readonly id: string;
  readonly pages: number;
  /** The number of items that the API sent. */
  readonly items: number;
  /** What the job made of its items, if it changes them. */
  readonly shaped?: Shaped;
  /** The numbers of the fields that the configuration names and at least one item had (sources/shaping/sought-fields.ts). */
  readonly met: ReadonlySet<number>;
  /** The keys of an item that lacks one of the fields. */
  readonly keys?: readonly string[];
  readonly calls: number;
  /** The number of calls whose first page had no items. */
  readonly emptyCalls: number;
  /** The number of calls that a rule skipped, and why it skipped the first. */
  readonly skippedCalls: number;
  readonly skipped?: string;
  /**
   * The columns of the first call whose rows have columns; the columns of the first call that shares none of them, and the number of such
   * calls.
   */
  readonly columns?: readonly string[];
  readonly others?: { readonly columns: readonly string[]; readonly calls: number };
  /** The first page that all calls with items have had so far, and the number of these calls. */
  readonly begins?: { readonly print: string; readonly calls: number } | 'differ';
  /** True if any response had a value at the place of the items. */
  readonly isMet: boolean;
  /** Paths of arrays with items, in responses without items at their place. */
  readonly unmet: ReadonlySet<string>;
  /** The sentences that the API said beside items. */
  readonly texts: ReadonlySet<string>;
  /** The first doubt of each code, and of each sentence that it quotes, and the number of calls that have it. */
  readonly doubts: ReadonlyMap<string, { readonly doubt: Doubt; readonly calls: number }>;
  readonly isStopped: boolean;
}

/** Adds up the evidence of pages about the completeness of their jobs. Its size does not grow with the number of pages. */
export interface EvidenceTracker {
  /** Adds the evidence of a page that an earlier run has stored. */
  readonly addCheckpoint: (checkpoint: Checkpoint) => void;
  readonly addPage: (page: Page) => void;
  /** Records that a stop of the configuration ended a call of the job. */
  readonly stopped: (iteration: number, id: string) => void;
  readonly jobs: () => readonly JobEvidence[];
  /** Returns another tracker that starts with the evidence of this one. */
  readonly copy: () => EvidenceTracker;
}

type Draft = { -readonly [K in keyof JobEvidence]: JobEvidence[K] } & {
  unmet: Set<string>;
  met: Set<number>;
  texts: Set<string>;
  doubts: Map<string, { readonly doubt: Doubt; readonly calls: number }>;
};

/**
 * @example
 * const tracker = createEvidenceTracker();
 * tracker.addPage(page);
 * tracker.jobs()[0]?.items
 */
export function createEvidenceTracker(from: readonly JobEvidence[] = []): EvidenceTracker {
  const drafts = new Map<string, Draft>();
  /** The number of items of calls that have not ended, to know how many their next page adds. */
  const open = new Map<string, number>();
  const keep = (job: JobEvidence): Draft => {
    const sets = { unmet: new Set(job.unmet), met: new Set(job.met), texts: new Set(job.texts) };
    const draft = { ...job, ...sets, doubts: new Map(job.doubts) };
    drafts.set(keyOf(job), draft);
    return draft;
  };
  from.forEach(keep);

  /**
   * @param isRestart whether this is the first page of a top-level job, which resets the evidence from before a restart
   */
  const draftOf = (job: Pick<JobEvidence, 'iteration' | 'id'>, isRestart = false): Draft =>
    (isRestart ? undefined : drafts.get(keyOf(job))) ?? keep({ ...NO_EVIDENCE, ...job });
  const add = (draft: Draft, items: number, isStart: boolean, evidence: Evidence | undefined): void => {
    const { unmet, doubts = [], stopped = false, shaped, met = [], keys } = evidence ?? {};
    const { place, skipped, columns, begins, texts = [] } = evidence ?? {};
    if (place === 'before') return;
    const isFirst = isStart || place === 'first';
    draft.pages += 1;
    draft.items += items;
    if (isFirst) draft.calls += 1;
    if (isFirst && items === 0) draft.emptyCalls += 1;
    if (skipped !== undefined) {
      draft.skippedCalls += 1;
      draft.skipped ??= skipped;
    }
    if (isFirst && columns !== undefined) {
      draft.columns ??= columns;
      if (areOthers(columns, draft.columns))
        draft.others = { columns: draft.others?.columns ?? columns, calls: 1 + (draft.others?.calls ?? 0) };
    }
    if (begins !== undefined) draft.begins = alsoBegins(draft.begins, begins);
    if (unmet === undefined) draft.isMet = true;
    for (const place of unmet ?? []) if (draft.unmet.size < MOST_PLACES) draft.unmet.add(place);
    for (const doubt of doubts) {
      const own = `${doubt.code} ${doubt.quoted ?? ''}`;
      const isOwn = doubt.quoted !== undefined && (draft.doubts.has(own) || draft.doubts.size < MOST_PLACES);
      const key = isOwn ? own : doubt.code;
      const known = draft.doubts.get(key);
      draft.doubts.set(key, { doubt: known?.doubt ?? doubt, calls: 1 + (known?.calls ?? 0) });
    }
    for (const text of texts) if (draft.texts.size < MOST_PLACES) draft.texts.add(text);
    draft.isStopped ||= stopped;
    if (shaped !== undefined) draft.shaped = draft.shaped === undefined ? shaped : sumOf(draft.shaped, shaped);
    for (const field of met) draft.met.add(field);
    if (keys !== undefined) draft.keys ??= keys;
  };
  return {
    addCheckpoint: ({ call, job, pages, items, position, evidence }) => {
      const [iteration = 0] = call;
      const key = call.join('.');
      const before = pages === 1 ? 0 : (open.get(key) ?? 0);
      if (position === undefined) open.delete(key);
      else open.set(key, items);
      add(
        draftOf({ iteration, id: job }, pages === 1 && call.length === TOP_LEVEL),
        items - before,
        pages === 1,
        evidence,
      );
    },
    addPage: ({ iteration, job, index, count, evidence }) =>
      add(
        draftOf({ iteration, id: job.id }, index === 0 && job.placeholders === undefined),
        evidence?.shaped?.arrived ?? count,
        index === 0,
        evidence,
      ),
    stopped: (iteration, id) => {
      draftOf({ iteration, id }).isStopped = true;
    },
    jobs: () => [...drafts.values()],
    copy: () => createEvidenceTracker([...drafts.values()]),
  };
}

/** The length of the key of a top-level call: the numbers of its iteration and its job. */
const TOP_LEVEL = 2;

/** The maximum number of paths in a message; more would not help a reader. */
const MOST_PLACES = 10;

const keyOf = ({ iteration, id }: Pick<JobEvidence, 'iteration' | 'id'>): string => `${iteration} ${id}`;

const NO_EVIDENCE: Omit<JobEvidence, 'iteration' | 'id'> = {
  ...{ pages: 0, items: 0, calls: 0, emptyCalls: 0, skippedCalls: 0, isMet: false, isStopped: false },
  ...{ unmet: new Set(), met: new Set(), texts: new Set(), doubts: new Map() },
};

function alsoBegins(before: JobEvidence['begins'], print: string): NonNullable<JobEvidence['begins']> {
  if (before === undefined) return { print, calls: 1 };
  return before !== 'differ' && before.print === print ? { print, calls: before.calls + 1 } : 'differ';
}

function sumOf(before: Shaped, { arrived, delivered, dropped }: Shaped): Shaped {
  const was = before.dropped;
  const sum = (operation: keyof Shaped['dropped']): number => was[operation] + dropped[operation];
  return {
    ...{ arrived: before.arrived + arrived, delivered: before.delivered + delivered },
    dropped: { unnest: sum('unnest'), filter: sum('filter'), exclude: sum('exclude'), unique: sum('unique') },
  };
}

/** How a run treats incomplete jobs. */
export interface Mode {
  /** The setting for jobs without their own. */
  readonly completeness: Completeness;
  /** True if what would be an error is only a warning. */
  readonly lenient: boolean;
}

/**
 * Returns how an incomplete job is treated: by its own setting, else by the setting of the run.
 *
 * @example completenessOf({ completeness: 'error' }, { completeness: 'off', lenient: true }) // 'warn'
 */
export function completenessOf(job: Pick<JobPlan, 'completeness'>, { completeness, lenient }: Mode): Completeness {
  const own = job.completeness ?? completeness;
  return lenient && own === 'error' ? 'warn' : own;
}

/** The result of a run with regard to completeness. */
export interface Judgement {
  readonly outcome: Outcome;
  readonly jobs: readonly JobOutcome[];
  readonly warnings: readonly Extract<RunEvent, { readonly type: 'warning' }>[];
  /** The counts of the items that jobs changed. */
  readonly shaped: readonly Extract<RunEvent, { readonly type: 'items.shaped' }>[];
  /** The doubts that make the run fail. */
  readonly errors: readonly JobDoubt[];
}

interface PlannedJob {
  readonly plan: JobPlan;
  readonly isChild: boolean;
}

/**
 * Judges a run by the evidence of its pages (docs/completeness.md).
 *
 * @param runs the plans of the configuration
 */
export function judge(tracker: EvidenceTracker, runs: readonly IterationPlan[], mode: Mode): Judgement {
  const plans = runs.map(({ jobs }) => new Map(jobs.flatMap((plan) => planned(plan, false))));
  const jobs: JobOutcome[] = [];
  const warnings: Judgement['warnings'][number][] = [];
  const shaped: Judgement['shaped'][number][] = [];
  const errors: JobDoubt[] = [];
  for (const evidence of tracker.jobs()) {
    const job = plans[evidence.iteration]?.get(evidence.id);
    if (job === undefined) continue;
    const { plan, isChild } = job;
    const strictness = completenessOf(plan, mode);
    const missing = missingFields(evidence, plan);
    const doubts = strictness === 'off' ? [] : doubtsOf(evidence, plan, isChild, missing).map(asIn(strictness));
    jobs.push(outcomeOf(evidence, plan, doubts));
    const { id, path, endpoint, dataType } = plan;
    const ref = { id, path, endpoint, dataType };
    if (evidence.shaped !== undefined) shaped.push({ type: 'items.shaped', job: ref, ...evidence.shaped });
    const warn = (code: WarningCode, message: string, isExpected = false): void => {
      warnings.push({ type: 'warning', code, message, job: ref, ...(isExpected ? { isExpected } : {}) });
    };
    const isSummedUp = isChild || plan.slices !== undefined || plan.asynchronous !== undefined;
    if (
      isSummedUp &&
      strictness !== 'off' &&
      evidence.emptyCalls > 0 &&
      !doubts.some(({ code }) => code === 'ALL_EMPTY')
    )
      warn('NO_DATA', emptyCalls(evidence, plan), plan.asynchronous === undefined && (isChild || evidence.items > 0));
    if (!doubts.some(({ code }) => code === 'FIELD_NOT_FOUND'))
      for (const [{ operation }, message] of missing)
        if (operation !== 'incremental') warn('FIELD_NOT_FOUND', `${plan.path}${message}`);
    for (const { code, level, message } of doubts)
      if (level === 'error') errors.push({ code, ...placed(plan, message), job: plan.id });
      else warn(code, faultLine(placed(plan, message)));
  }
  return { outcome: worst(jobs), jobs, warnings, shaped, errors };
}

/** Returns a message that may begin with a place in the job, such as `.filter[0]: `, with its whole path. */
function placed({ path }: JobPlan, message: string): Pick<Fault, 'path' | 'message'> {
  if (!message.startsWith('.')) return { path, message };
  const end = message.indexOf(': ');
  return { path: `${path}${message.slice(0, end)}`, message: message.slice(end + 2) };
}

/** Where a job wants warnings alone, nothing contradicts that it is complete: it is doubtful. */
const asIn =
  (strictness: Completeness) =>
  (doubt: Doubt): Doubt =>
    strictness === 'warn' ? { ...doubt, level: 'warning' } : doubt;

const planned = (plan: JobPlan, isChild: boolean): (readonly [string, PlannedJob])[] => [
  [plan.id, { plan, isChild }],
  ...plan.children.flatMap(({ job }) => planned(job, true)),
];

/** Returns the doubts about a job: those of its calls, and those about all calls together. */
function doubtsOf(
  evidence: JobEvidence,
  plan: JobPlan,
  isChild: boolean,
  missing: ReadonlyMap<SoughtField, string>,
): readonly Doubt[] {
  const { isMet, unmet, items, others } = evidence;
  const counting = [...evidence.doubts.values()].filter(({ doubt: { quoted } }) => !evidence.texts.has(quoted ?? ''));
  const found = counting.map(({ doubt, calls }) =>
    calls === 1 ? doubt : { ...doubt, message: `${doubt.message} (The same goes for ${calls - 1} more of its calls.)` },
  );
  // Without the items, nothing else that is said of them is true.
  if (!isMet && items === 0 && unmet.size > 0) found.unshift(notFound(plan, [...unmet]));
  if (others !== undefined) found.push(callsOfOtherColumns(evidence, plan, isChild));
  found.push(...nothingDelivered(evidence, missing));
  for (const [{ operation }, message] of missing)
    if (operation === 'incremental') found.push({ code: 'KEY_NOT_FOUND', level: 'error', message });
  if (found.some(({ level }) => level === 'error')) return found;
  const all = (code: DoubtCode, message: string): Doubt => ({ code, level: 'warning', message });
  if (evidence.skippedCalls === evidence.calls && evidence.skipped !== undefined)
    found.push(all('ALL_SKIPPED', allSkipped(evidence, plan)));
  else if (isChild && evidence.calls > 1 && isAllEmpty(evidence, plan))
    found.push(all('ALL_EMPTY', allEmpty(evidence, plan)));
  if (missing.size === 0 && isAllDropped(evidence)) found.push(all('ALL_DROPPED', allDropped(evidence, plan)));
  for (const message of filtersNotPassed(evidence, plan, missing)) found.push(all('ALL_DROPPED', message));
  const calls = equalCalls(evidence);
  if (plan.equalPages !== 'keep' && calls > 1) found.push(all('ALL_EQUAL', allEqual(calls, plan)));
  return found;
}

function notFound({ endpoint, items: { path, delimiter } }: JobPlan, places: readonly string[]): Doubt {
  const sought = path === undefined ? 'an array at the root' : `a value at dataField "${path}"`;
  const there = places.map((place) => `"${place}"`).join(', ');
  const hint = path === undefined ? '' : pathHint(path, delimiter);
  const message = `No response of ${endpoint} had ${sought}, but there were items at ${there}. Set dataField in the job.${hint}`;
  return { code: 'DATA_NOT_FOUND', level: 'error', message };
}

/** Returns the doubt about a job some of whose calls have other columns than its first call: each parent item may lead to a table of its own. */
function callsOfOtherColumns({ columns = [], others }: JobEvidence, { endpoint }: JobPlan, isChild: boolean): Doubt {
  const calls = others?.calls ?? 0;
  const which = calls === 1 ? `A call of ${endpoint} has` : `${calls} calls of ${endpoint} have`;
  const message = `${which} other columns than another: ${otherColumns(endpoint, others?.columns ?? [], columns)}`;
  return { code: 'COLUMNS_DIFFER', level: isChild ? 'warning' : 'error', message };
}

function emptyCalls({ emptyCalls: empty, calls }: JobEvidence, { path, name, asynchronous }: JobPlan): string {
  if (asynchronous === undefined) return `${name}: ${grouped(empty)} of ${grouped(calls)} calls had no items.`;
  const results = calls === 1 ? 'the result has' : `${empty} of ${calls} results have`;
  return `${path}: ${results} no items. If there should be some, compare asynchronous.poll.until with what the API says while it works.`;
}

/**
 * Returns whether a job had no items in any call. A job that asks only for new items may have none, and a job whose calls rules skip has a
 * warning of its own.
 */
const isAllEmpty = ({ calls, emptyCalls: empty, skippedCalls }: JobEvidence, { incremental }: JobPlan): boolean =>
  empty === calls && skippedCalls < calls && incremental === undefined;

const allEmpty = ({ calls }: JobEvidence, { name }: JobPlan): string =>
  `None of ${grouped(calls)} calls of ${name} had items. If there should be some, compare its endpoint, its placeholders and ` +
  `its dataField with what the API says.`;

const allSkipped = ({ calls, skipped = '' }: JobEvidence, { endpoint }: JobPlan): string =>
  `Rules skipped ${calls === 1 ? 'the only call' : `all ${calls} calls`} of ${endpoint}. ${calls === 1 ? '' : 'The first: '}` +
  `${skipped} If there should be items, check the endpoint; where there may be none, let the rule look at the text as well ("matches") and end the call ("end").`;

const NOTHING_SHAPED = { arrived: 0, dropped: {} };

const isAllDropped = ({ shaped }: JobEvidence): boolean =>
  shaped !== undefined && shaped.arrived > 0 && shaped.delivered === 0;

function allDropped({ shaped }: JobEvidence, { endpoint }: JobPlan): string {
  const { arrived, dropped } = shaped ?? NOTHING_SHAPED;
  const by = Object.entries(dropped).flatMap(([operation, count]) => (count === 0 ? [] : [`${operation} ${count}`]));
  return `All ${arrived} items of ${endpoint} were dropped (${by.join(', ')}). If some should be left, compare the values that the job names with those of the API.`;
}

const equalCalls = ({ begins }: JobEvidence): number =>
  begins === undefined || begins === 'differ' ? 0 : begins.calls;

const allEqual = (calls: number, { endpoint }: JobPlan): string =>
  `All ${calls} calls of ${endpoint} that have items begin with the same page: the API seems to ignore what the windows or ` +
  `partitions send, and items come several times. If equal items are right, write "equalPages": "keep" in the job.`;

function outcomeOf(
  { iteration, pages, items, shaped, isStopped, isMet }: JobEvidence,
  { id, path, endpoint, dataType }: JobPlan,
  doubts: readonly Doubt[],
): JobOutcome {
  const delivered = shaped?.delivered ?? items;
  const outcome = doubts.some(({ level }) => level === 'error')
    ? 'incomplete'
    : doubts.length > 0
      ? 'doubtful'
      : isStopped
        ? 'stopped'
        : 'complete';
  return { iteration, id, path, endpoint, dataType, outcome, pages, items: delivered, isFound: isMet };
}

const worst = (jobs: readonly JobOutcome[]): Outcome =>
  (['incomplete', 'doubtful', 'stopped'] as const).find((outcome) => jobs.some((job) => job.outcome === outcome)) ??
  'complete';

/** The effect of an operation on items that lack its field. */
const RESULTS: Readonly<Record<Exclude<SoughtField['operation'], 'passes'>, string>> = {
  unnest: 'such items are dropped',
  compute: 'there it is `null`',
  filter: 'there it is an empty string',
  exclude: 'there it is an empty string',
  unique: 'such items are all kept',
  rename: 'nothing was renamed',
  children: 'there it is an empty string',
  incremental: 'each run would ask from the same place',
};

/** Returns the fields that the configuration names and no item of a job had, each with a message. */
function missingFields({ met, keys = [], items }: JobEvidence, plan: JobPlan): ReadonlyMap<SoughtField, string> {
  if (items === 0) return new Map();
  return new Map(
    soughtFields(plan).flatMap((field, at) => {
      const { operation, option, path } = field;
      if (operation === 'passes' || met.has(at) || plan.optionalFields?.includes(path) === true) return [];
      const hint = meantOrKnown(path, keys);
      const message = `.${option}: no item of ${plan.endpoint} had the field "${path}": ${RESULTS[operation]}.${hint} If items may lack it, name it in optionalFields.`;
      return [[field, message] as const];
    }),
  );
}

/** Adds the error for a field whose absence is the reason that a job delivers nothing. */
function nothingDelivered({ shaped }: JobEvidence, missing: ReadonlyMap<SoughtField, string>): readonly Doubt[] {
  if (shaped === undefined || shaped.delivered > 0) return [];
  const decisive = [...missing].filter(([{ operation }]) => operation === 'unnest' || operation === 'filter');
  return decisive.map(([, message]) => ({
    code: 'FIELD_NOT_FOUND',
    level: 'error',
    message: `All ${shaped.arrived} items were dropped. ${message.slice(1)}`,
  }));
}

/**
 * Returns the warnings about filters of children that no item has passed although all their fields exist: the tables of these children have
 * no rows. This may be intended, but a misspelled value looks the same.
 */
function filtersNotPassed(
  { met, items, shaped }: JobEvidence,
  plan: JobPlan,
  missing: ReadonlyMap<SoughtField, string>,
): readonly string[] {
  const count = shaped?.delivered ?? items;
  if (count === 0) return [];
  const reported = new Set([...missing.keys()].map(({ option }) => option));
  return soughtFields(plan).flatMap(({ operation, option, path }, at) => {
    if (operation !== 'passes' || met.has(at) || reported.has(option)) return [];
    const hint = /[=!]=(?:true|false)\b/.test(path) ? ' There, true is "1", and false an empty string.' : '';
    const tested = count === 1 ? 'the only item' : `none of ${grouped(count)} items`;
    const passed = count === 1 ? 'did not pass' : 'passed';
    return [
      `.${option}: ${tested} of ${plan.endpoint} ${passed} ${JSON.stringify(path)}, so that the child was never called.${hint} ` +
        'If it should be called, compare the values that the filter names with those of the API.',
    ];
  });
}
