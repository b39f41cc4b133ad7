/** Warnings about jobs that ask only for new items (docs/language/incremental.md). */
import type { Fault } from '../../core/errors/errors';
import { keysOf, ownValue } from '../../core/json/objects';
import type { Standing } from '../../core/durable-sink';
import type { JsonObject } from '../../core/model';
import type { IncrementalJob, JobPlace, OutputPlan } from '../../plan/plan';
import { otherStates, ownState } from '../../sinks/state';
import { withKnownJobs } from './by-job';
import type { JobKeys } from './by-job';
import { cursorsOf } from './cursors';
import type { CursorTracker, CompleteJobs } from './cursors';

/** Returns the warnings about cursor fields that no item of a run had. */
export const missingFields = (outputs: readonly OutputPlan[], { isWithout }: CursorTracker): readonly Fault[] =>
  jobsIn(outputs)
    .filter(({ id }) => isWithout(id))
    .map(({ path, field }) => ({
      path: `${path}.incremental.field`,
      message:
        `no item of this run has a value to go by in ${JSON.stringify(field)}: ` +
        'the next run asks from the same place as this one. Choose a field that each item has.',
    }));

/** Returns the warnings about jobs that keep their old cursor, although they got items. */
export const heldJobs = (
  outputs: readonly OutputPlan[],
  { isHeld }: CursorTracker,
  { isWhole, lackingBelow }: CompleteJobs,
): readonly Fault[] =>
  jobsIn(outputs)
    .filter(({ id }) => isHeld(id, isWhole))
    .map(({ id, path, field, dataType, below = [] }) => {
      const lacking = lackingBelow(id);
      const tables = [dataType, ...below.map((job) => job.dataType)];
      const isAdded = tables.some((table) => outputs.some((output) => appends(output, table)));
      const message = lacking.length === 0 ? heldByItself(field) : heldFromBelow(lacking);
      return { path: `${path}.incremental`, message: `${message}${isAdded ? ADDED_TWICE : ''}` };
    });

const heldByItself = (field: string): string =>
  `the job may not have got all items, and those that it got do not ascend in ${JSON.stringify(field)}: what it left out ` +
  'may be older, so the next run asks from the same place as this one. Let the API sort by that field, ascending, ' +
  'or let the job get all. Where only a total says so, and that counts something else, write "total": "none" in the job.';

const heldFromBelow = (lacking: readonly string[]): string =>
  `${lacking.join(', ')} did not get all for the items of this run: the next run asks from the same place as this one, so that those calls are made again. ` +
  'Where they have all that there is, let a rule with "do": "skip" take the responses without items, write "total": "none" in the child job ' +
  'where only a total says otherwise, or "completeness": "off".';

const ADDED_TWICE =
  ' The rows that "append" has added in this run then come a second time: with "load": "merge" and a primary key they would take the place of these.';

/** Returns the warnings about fields whose values lie in the future. */
export const datesAhead = (outputs: readonly OutputPlan[], { isAhead }: CursorTracker): readonly Fault[] =>
  jobsIn(outputs)
    .filter(({ id }) => isAhead(id))
    .map(({ path, field }) => ({
      path: `${path}.incremental.field`,
      message:
        `items lie more than a day in the future by ${JSON.stringify(field)}: they are delivered, and the next run does not ask ` +
        'from there, or it would not get what comes until then. Choose a field that says when an item was changed.',
    }));

/** Returns the warnings about fields whose values are dates that cannot be ordered. */
export const unorderedFields = (outputs: readonly OutputPlan[], { isUnordered }: CursorTracker): readonly Fault[] =>
  jobsIn(outputs)
    .filter(({ id }) => isUnordered(id))
    .map(({ path, field }) => ({
      path: `${path}.incremental.field`,
      message:
        `the values of ${JSON.stringify(field)} are no times or numbers that can be put in order: they are dates that do not begin with the year, ` +
        'or are written in several ways. Their characters alone are compared, so the next run may ask from the wrong place, and "lag" and ' +
        'the guard against dates of the future do nothing. Choose another field, or let the API write its times as ISO 8601 does.',
    }));

/** Returns the warnings about parameters that did not exclude items from before the cursor. */
export const passedOver = (outputs: readonly OutputPlan[], { isPassedOver }: CursorTracker): readonly Fault[] =>
  jobsIn(outputs)
    .filter(({ id, lag }) => isPassedOver(id, lag))
    .map(({ path, field, param = 'window' }) => ({
      path: `${path}.incremental.param`,
      message:
        `the API gave items whose ${JSON.stringify(field)} lies before the value that ${JSON.stringify(param)} asked ` +
        'from: it may not know the parameter, and give everything each time. Correct its name, or what it holds.',
    }));

/**
 * Returns the warnings about jobs whose rows are added, and which got items, or were called for items, that earlier runs may have added
 * before, or that the next run gets again.
 */
export function addedAgain(
  outputs: readonly OutputPlan[],
  { isMet, isPassedOver, isBeyond }: CursorTracker,
): readonly Fault[] {
  const all = jobsIn(outputs);
  const isAdded = ({ dataType }: JobPlace): boolean => outputs.some((output) => appends(output, dataType));
  const faults = (job: IncrementalJob, own: string, below: string): readonly Fault[] => [
    ...(isAdded(job) ? [{ path: `${job.path}.incremental`, message: own }] : []),
    ...calledFor(job, all)
      .filter(isAdded)
      .map(({ path }) => ({ path, message: below })),
  ];
  const again = all
    .filter(({ id, lag }) => isMet(id) && !isPassedOver(id, lag))
    .flatMap((job) => {
      const before = `items whose ${JSON.stringify(job.field)} is not beyond what earlier runs came to`;
      const remedy = `${MERGE}, or let ${JSON.stringify(job.param ?? 'window')} ask for later values alone.`;
      return faults(
        job,
        `the API gave ${before}, and ${ADDED}: ${remedy}`,
        `${job.path} got ${before}, so this job was called for them again, and ${ADDED}: ${remedy}`,
      );
    });
  const nextTime = all
    .filter(({ id }) => isBeyond(id))
    .flatMap((job) => {
      const after = `items that lie after the start of this run by ${JSON.stringify(job.field)}. The next run asks from that start, since others may still come before them`;
      return faults(
        job,
        `the API gave ${after}: it gets these again, and ${ADDED}: ${MERGE}.`,
        `${job.path} got ${after}: it gets these again, so this job is called for them again, and ${ADDED}: ${MERGE}.`,
      );
    });
  return [...again, ...nextTime];
}

const ADDED = '"append" adds their rows beside those that are there';
const MERGE = 'they may stand twice. Write "load": "merge" with a primary key';

/**
 * Returns the jobs below a job that ask for everything of its items. Those that ask only for new items have warnings of their own, also for
 * the jobs below them.
 */
const calledFor = ({ path: root, below = [] }: IncrementalJob, all: readonly IncrementalJob[]): readonly JobPlace[] => {
  const others = all.filter(({ path }) => isBelow(path, root));
  return below.filter(({ path }) => others.every((other) => other.path !== path && !isBelow(path, other.path)));
};

const isBelow = (path: string, root: string): boolean => path.startsWith(`${root}.`);

/** Returns whether rows are added to a table without a key. Only "load" shows whether a mapping gives it one. */
function appends({ incremental, loads, primaryKeys, mappings = {} }: OutputPlan, dataType: string): boolean {
  const load = loads?.get(dataType);
  if (load !== undefined || !incremental) return load === 'append';
  return primaryKeys?.has(dataType) !== true && ownValue(mappings, dataType) === undefined;
}

/** A destination as it was found. */
export interface FoundDestination {
  /** The name of the destination for users. */
  readonly name: string;
  readonly standing: Standing;
}

/**
 * Returns the warnings about states in destinations that no longer count: the configuration has changed, or their files are gone.
 *
 * @param configuration its fingerprint, and what distinguishes its jobs
 */
export function resetDestinations(
  found: readonly FoundDestination[],
  outputs: readonly OutputPlan[],
  { fingerprint, jobKeys }: { readonly fingerprint: string; readonly jobKeys: JobKeys },
): readonly Fault[] {
  return found.flatMap(({ name, standing: { state, forgotten } }) => {
    if (forgotten !== undefined)
      return asking(outputs).map((path) => ({ path, message: `asks for everything again: ${name}: ${forgotten}` }));
    if (keysOf(ownState(state, fingerprint)).length > 0) return [];
    const others = otherStates(state, fingerprint);
    const isCounted = others.some((other) => cursorsOf(other).size > 0);
    const known = cursorsOf(withKnownJobs({}, state, jobKeys));
    const isRestarted = jobsIn(outputs).filter(({ id }) => !known.has(id));
    const places = [
      ...(isCounted ? isRestarted.map(({ path }) => `${path}.incremental`) : []),
      ...(others.length > 0 ? sinceIn(outputs) : []),
    ];
    return places.map((path) => ({ path, message: `asks for everything: ${name} ${ANOTHER}` }));
  });
}

const ANOTHER =
  'knows runs of other configurations only. If this is one of them that has been changed, what its runs have left counts ' +
  'no more. If a job need not ask for everything, write where it begins as "initial" of its "incremental".';

/** Returns the warnings about jobs that a given state lacks, while it has jobs that the configuration no longer has. */
export function resetJobs(state: JsonObject, outputs: readonly OutputPlan[]): readonly Fault[] {
  const jobs = jobsIn(outputs);
  const known = [...cursorsOf(state).keys()];
  if (known.every((id) => jobs.some((job) => job.id === id))) return [];
  return jobs
    .filter(({ id }) => !known.includes(id))
    .map(({ path }) => ({
      path: `${path}.incremental`,
      message:
        'starts over: the state has no job of this id, but one of another id that is not in the configuration. ' +
        'A job without "id" gets another one when it is changed: give it one.',
    }));
}

/**
 * Returns the warnings about jobs that ask for something else than earlier runs did under the same ids.
 *
 * @param changed the ids of the jobs
 */
export const changedJobs = (changed: readonly string[], outputs: readonly OutputPlan[]): readonly Fault[] =>
  jobsIn(outputs)
    .filter(({ id }) => changed.includes(id))
    .map(({ path }) => ({
      path: `${path}.incremental`,
      message:
        'starts over: the job asks for something else than the last run with this state did under its id, or has another child, and what was left out then may be older ' +
        'than what it has come to. If it need not ask for everything, write where it begins as "initial".',
    }));

const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** Returns the jobs that ask only for new items; each place once, whatever the number of runs. */
export const jobsIn = (outputs: readonly OutputPlan[]): readonly IncrementalJob[] => [
  ...new Map(outputs.flatMap(({ incrementalJobs = [] }) => incrementalJobs.map((job) => [job.path, job]))).values(),
];

const incrementalIn = (outputs: readonly OutputPlan[]): readonly string[] =>
  jobsIn(outputs).map(({ path }) => `${path}.incremental`);
/** Returns the places of the configuration that name `time.previousStart`. */
export const sinceIn = (outputs: readonly OutputPlan[]): readonly string[] =>
  unique(outputs.flatMap(({ sincePrevious = [] }) => sincePrevious.map(({ path }) => path)));

/** Returns the same places, each with the dataTypes of its job and of the jobs below it. */
export const sinceTables = (
  outputs: readonly OutputPlan[],
): readonly { readonly path: string; readonly dataTypes: readonly string[] }[] =>
  outputs.flatMap(({ sincePrevious = [], jobPlaces = [] }) =>
    sincePrevious.map(({ path, dataType, below }) => ({
      path,
      dataTypes: dataType === undefined ? dataTypesOf(jobPlaces) : [dataType, ...dataTypesOf(below)],
    })),
  );

export const dataTypesOf = (jobs: readonly JobPlace[] = []): readonly string[] => jobs.map(({ dataType }) => dataType);

const asking = (outputs: readonly OutputPlan[]): readonly string[] => [...incrementalIn(outputs), ...sinceIn(outputs)];
