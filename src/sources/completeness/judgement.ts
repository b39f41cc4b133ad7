import type { JobDoubt } from '../../core/errors/errors';
import type { JobOutcome, Outcome, RunEvent, WarningCode } from '../../core/events';
import type { Completeness, CutLists, Doubt, DoubtCode } from '../../core/evidence';
import { bracketHint } from '../../core/json/path';
import { didYouMean } from '../../language/expressions/nearest';
import type { IterationPlan, JobPlan } from '../../plan/plan';
import { soughtFields } from '../shaping/sought-fields';
import type { SoughtField } from '../shaping/sought-fields';
import { callsOfOtherColumns } from './evidence-tracker';
import type { EvidenceTracker, JobEvidence } from './evidence-tracker';

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
    const nothingLeft = nothingDelivered(evidence, missing);
    const doubts = strictness === 'off' ? [] : [...doubtsOf(evidence, plan, isChild), ...nothingLeft];
    jobs.push(outcomeOf(evidence, plan, doubts));
    const { id, path, endpoint, dataType } = plan;
    const ref = { id, path, endpoint, dataType };
    if (evidence.shaped !== undefined) shaped.push({ type: 'items.shaped', job: ref, ...evidence.shaped });
    const warn = (code: WarningCode, message: string, isExpected = false): void => {
      warnings.push({ type: 'warning', code, message, job: ref, ...(isExpected ? { isExpected } : {}) });
    };
    const isSummedUp = isChild || plan.slices !== undefined || plan.asynchronous !== undefined;
    if (isSummedUp && strictness !== 'off' && evidence.emptyCalls > 0) {
      const isNothing = isAllEmpty(evidence, plan) && doubts.length === 0;
      if (isChild && isNothing && evidence.calls > 1) warn('ALL_EMPTY', allEmpty(evidence, plan));
      else warn('NO_DATA', emptyCalls(evidence, plan), plan.asynchronous === undefined && (isChild || !isNothing));
    }
    if (strictness !== 'off' && evidence.skippedCalls === evidence.calls && evidence.skipped !== undefined)
      warn('ALL_SKIPPED', allSkipped(evidence, plan));
    if (strictness !== 'off' && missing.size === 0 && isAllDropped(evidence))
      warn('ALL_DROPPED', allDropped(evidence, plan));
    if (strictness !== 'off')
      for (const message of filtersNotPassed(evidence, plan, missing)) warn('ALL_DROPPED', message);
    if (strictness !== 'off' && plan.equalPages !== 'keep') {
      const calls = equalCalls(evidence);
      if (calls > 1) warn('ALL_EQUAL', allEqual(calls, plan));
      if (calls <= 1 && evidence.repeats > 0) warn('WINDOWS_OVERLAP', windowsRepeat(evidence, plan));
      if (evidence.overlaps > 0) warn('WINDOWS_OVERLAP', windowsOverlap(evidence, plan));
    }
    if (strictness === 'off' || nothingLeft.length === 0)
      for (const message of missing.values()) warn('FIELD_NOT_FOUND', `${plan.path}${message}`);
    for (const { code, level, message } of doubts)
      if (level === 'error' && strictness === 'error') errors.push({ code, message, path: plan.path, job: plan.id });
      else warn('INCOMPLETE', `${plan.path}: ${message}`);
  }
  return { outcome: worst(jobs), jobs, warnings, shaped, errors };
}

const planned = (plan: JobPlan, isChild: boolean): (readonly [string, PlannedJob])[] => [
  [plan.id, { plan, isChild }],
  ...plan.children.flatMap(({ job }) => planned(job, true)),
];

function doubtsOf(evidence: JobEvidence, plan: JobPlan, isChild: boolean): readonly Doubt[] {
  const { isMet, unmet, doubts, items, cut, columns = [], others } = evidence;
  const cuts = cut === undefined ? [] : [listsCut(cut, plan)];
  const mixed = others === undefined ? [] : [callsOfOtherColumns(plan, isChild, others.calls, others.columns, columns)];
  const found: Doubt[] = [...doubts.values()].map(({ doubt, calls }) =>
    calls === 1 ? doubt : { ...doubt, message: `${doubt.message} (The same goes for ${calls - 1} more of its calls.)` },
  );
  if (isMet || items > 0 || unmet.size === 0) return [...found, ...cuts, ...mixed];
  return [notFound(plan, [...unmet]), ...found.filter(({ code }) => code !== 'DATA_NOT_FOUND')];
}

function notFound({ endpoint, items: { path, delimiter } }: JobPlan, places: readonly string[]): Doubt {
  const sought = path === undefined ? 'an array at the root' : `a value at dataField "${path}"`;
  const there = places.map((place) => `"${place}"`).join(', ');
  const hint = path === undefined ? '' : bracketHint(path, delimiter);
  const message = `No response of ${endpoint} had ${sought}, but there were items at ${there}. Set dataField in the job.${hint}`;
  return { code: 'DATA_NOT_FOUND', level: 'error', message };
}

function listsCut({ items, where }: CutLists, { endpoint, graphql }: JobPlan): Doubt {
  const rest = graphql === undefined ? 'a child job' : 'a larger "first" in the query, or another job';
  const holders = items === 1 ? `1 item of ${endpoint} holds` : `${items} items of ${endpoint} hold`;
  const message = `${holders} a list that is not whole: the API says with ${where} that there is more of it. Get the rest with ${rest}.`;
  return { code: 'LIST_CUT', level: 'warning', message };
}

function emptyCalls({ emptyCalls: empty, calls }: JobEvidence, { path, name, asynchronous }: JobPlan): string {
  if (asynchronous === undefined)
    return `${name}: ${empty.toLocaleString('en')} of ${calls.toLocaleString('en')} calls had no items.`;
  const results = calls === 1 ? 'the result has' : `${empty} of ${calls} results have`;
  return `${path}: ${results} no items. If there should be some, compare asynchronous.poll.until with what the API says while it works.`;
}

/**
 * Returns whether a job had no items in any call. A job that asks only for new items may have none, and a job whose calls rules skip has a
 * warning of its own.
 */
const isAllEmpty = ({ calls, emptyCalls: empty, skippedCalls }: JobEvidence, { incremental }: JobPlan): boolean =>
  empty === calls && skippedCalls < calls && incremental === undefined;

const allEmpty = ({ calls }: JobEvidence, { path, name }: JobPlan): string =>
  `${path}: none of ${calls.toLocaleString('en')} calls of ${name} had items. If there should be some, compare its endpoint, its placeholders and ` +
  `its dataField with what the API says.`;

const allSkipped = ({ calls, skipped = '' }: JobEvidence, { path, endpoint }: JobPlan): string =>
  `${path}: rules skipped ${calls === 1 ? 'the only call' : `all ${calls} calls`} of ${endpoint}. ${calls === 1 ? '' : 'The first: '}` +
  `${skipped} If there should be items, check the endpoint.`;

const NOTHING_SHAPED = { arrived: 0, dropped: {} };

const isAllDropped = ({ shaped }: JobEvidence): boolean =>
  shaped !== undefined && shaped.arrived > 0 && shaped.delivered === 0;

function allDropped({ shaped }: JobEvidence, { path, endpoint }: JobPlan): string {
  const { arrived, dropped } = shaped ?? NOTHING_SHAPED;
  const by = Object.entries(dropped).flatMap(([operation, count]) => (count === 0 ? [] : [`${operation} ${count}`]));
  return `${path}: all ${arrived} items of ${endpoint} were dropped (${by.join(', ')}). If some should be left, compare the values that the job names with those of the API.`;
}

const equalCalls = ({ begins }: JobEvidence): number =>
  begins === undefined || begins === 'differ' ? 0 : begins.calls;

const allEqual = (calls: number, { path, endpoint }: JobPlan): string =>
  `${path}: all ${calls} calls of ${endpoint} that have items begin with the same page: the API seems to ignore what the windows or ` +
  `partitions send, and items come several times. If equal items are right, write "equalPages": "keep" in the job.`;

const windowsOverlap = ({ overlaps }: JobEvidence, { path, endpoint }: JobPlan): string =>
  `${path}.window: ${overlaps === 1 ? 'a window' : `${overlaps} windows`} of ${endpoint} and the one before have an item in common: the API seems to ` +
  `take the end of a window for a part of it, and items come twice. Set "toIsInclusive": true in the window. If equal items are right, write ` +
  `"equalPages": "keep" in the job.`;

const windowsRepeat = ({ repeats }: JobEvidence, { path, endpoint }: JobPlan): string =>
  `${path}.window: ${repeats === 1 ? 'a window' : `${repeats} windows`} of ${endpoint} begin${repeats === 1 ? 's' : ''} with items of a window ` +
  `before: the API, or a cache on the way, seems to give another window than it was asked for, and items may be missing. If equal items are right, ` +
  `write "equalPages": "keep" in the job.`;

/** Doubts about APIs that are mostly unfounded: a job with these alone counts as complete. */
const UNCERTAIN: readonly DoubtCode[] = [
  'END_UNKNOWN',
  'NEXT_PAGE_EMPTY',
  'PAGE_ORDER',
  'CURSOR_CUT',
  'PAGE_CAPPED',
  'ITEMS_NOT_READ',
  'LIST_OF_OBJECT',
  'LIST_IN_ITEM',
  'PAGE_SKIPPED',
  'METHOD_CHANGED',
  'PAGES_OVERLAP',
  'TOTAL_EXCEEDED',
];

function outcomeOf(
  { iteration, pages, items, shaped, isStopped, isMet }: JobEvidence,
  plan: JobPlan,
  doubts: readonly Doubt[],
): JobOutcome {
  const { id, path, endpoint, dataType } = plan;
  // A job without evidence against it is complete. Child jobs may read the rest of a list.
  const isDoubted = doubts.some(
    ({ code, level }) =>
      level === 'error' || !(UNCERTAIN.includes(code) || (code === 'LIST_CUT' && plan.children.length > 0)),
  );
  const outcome = isDoubted ? 'incomplete' : isStopped ? 'stopped' : 'complete';
  const delivered = shaped?.delivered ?? items;
  return { iteration, id, path, endpoint, dataType, outcome, pages, items: delivered, isFound: isMet };
}

const worst = (jobs: readonly JobOutcome[]): Outcome =>
  (['incomplete', 'stopped'] as const).find((outcome) => jobs.some((job) => job.outcome === outcome)) ?? 'complete';

/** The effect of an operation on items that lack its field. */
const RESULTS: Readonly<Record<Exclude<SoughtField['operation'], 'passes'>, string>> = {
  unnest: 'such items are dropped',
  compute: 'there it is `null`',
  filter: 'there it is an empty string',
  exclude: 'there it is an empty string',
  unique: 'such items are all kept',
  rename: 'nothing was renamed',
  children: 'there it is an empty string',
};

/** Returns the fields that the configuration names and no item of a job had, each with a message. */
function missingFields({ met, keys = [], items }: JobEvidence, plan: JobPlan): ReadonlyMap<SoughtField, string> {
  if (items === 0) return new Map();
  return new Map(
    soughtFields(plan).flatMap((field, at) => {
      const { operation, option, path } = field;
      if (operation === 'passes' || met.has(at) || plan.optionalFields?.includes(path) === true) return [];
      const hint = didYouMean(path, keys);
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
  const told = new Set([...missing.keys()].map(({ option }) => option));
  return soughtFields(plan).flatMap(({ operation, option, path }, at) => {
    if (operation !== 'passes' || met.has(at) || told.has(option)) return [];
    const hint = /[=!]=(?:true|false)\b/.test(path) ? ' There, true is "1", and false an empty string.' : '';
    const tested = count === 1 ? 'the only item' : `none of ${count.toLocaleString('en')} items`;
    const passed = count === 1 ? 'did not pass' : 'passed';
    return [
      `${plan.path}.${option}: ${tested} of ${plan.endpoint} ${passed} ${JSON.stringify(path)}, so that the child was never called.${hint} ` +
        'If it should be called, compare the values that the filter names with those of the API.',
    ];
  });
}
