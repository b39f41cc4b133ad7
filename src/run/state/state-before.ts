/** The state that a run starts with, and the parts of it that no longer count (docs/language/incremental.md). */
import type { DurableSink, Standing, TableStand } from '../../core/durable-sink';
import { FatalError, faultLine } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import { sameJson, withMember } from '../../core/json/literals';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { isEarlier } from '../../core/json/order';
import type { Warn } from '../../core/log';
import type { Json, JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { filledIn, listsOf } from '../../sinks/state';
import type { FilledTables } from '../../sinks/state';
import { nearest, withKnownJobs, withSameJobs } from './by-job';
import type { JobKeys } from './by-job';
import { CURSORS, cursorsOf, previousStartOf, withPreviousStart } from './cursors';
import {
  changedJobs,
  dataTypesOf,
  jobsIn,
  resetDestinations,
  resetJobs,
  sinceIn,
  sinceTables,
} from './incremental-warnings';
import type { FoundDestination } from './incremental-warnings';

/** The configuration of a run, and its destinations. */
export interface Before {
  readonly document: Json;
  readonly fingerprint: string;
  readonly jobKeys: JobKeys;
  readonly outputs: readonly OutputPlan[];
  /** The destinations that have not committed the run, as they were found. */
  readonly found: readonly { readonly sink: DurableSink; readonly standing: Standing }[];
  /** Returns the state after the last run of the configuration, from the whole state of a destination. */
  readonly stateIn: (all: JsonObject) => JsonObject;
}

/**
 * Returns the state that a run starts with, and which tables are gone. It warns about everything that no longer counts.
 *
 * @param given a state that is kept elsewhere; absent: the destinations keep it
 * @throws FatalError DESTINATION_INCOMPATIBLE where the destinations have different states
 * @example const { state } = await stateBefore(given, before, warn);
 */
export async function stateBefore(
  given: JsonObject | undefined,
  before: Before,
  warn: Warn,
): Promise<Pick<CountedTables, 'state' | 'gone'>> {
  const { found, outputs } = before;
  const known = given === undefined ? keptState(before) : givenState(given, before);
  const same = withoutFormerIterations(known.state, outputs);
  for (const fault of [...known.resets, ...same.resets]) warn('STATE_RESET', faultLine(fault));
  const { state, resets, emptied, gone } = await withoutLostTables(same.state, found, outputs);
  for (const fault of resets) warn('STATE_RESET', faultLine(fault));
  for (const fault of emptied) warn('TABLE_EMPTY', faultLine(fault));
  return { state, gone };
}

/** The key of a given state whose items are elsewhere: a new destination does not lack them. */
export const ELSEWHERE = 'headwater.elsewhere';

function keptState({ document, found, outputs, stateIn, ...configuration }: Before): Counted {
  const destinations = found.map(({ sink: { name }, standing }) => ({ name, standing }));
  const resets = resetDestinations(destinations, outputs, configuration);
  const [sinks, standings] = [found.map(({ sink }) => sink), found.map(({ standing }) => standing)];
  return { state: commonState(sinks, standings, document, stateIn), resets };
}

function givenState(written: JsonObject, { found, outputs, stateIn, jobKeys }: Before): Counted {
  const isElsewhere = ownValue(written, ELSEWHERE) === true;
  const given = objectFrom(entriesOf(written).filter(([key]) => key !== ELSEWHERE));
  const { state: same, changed } = withSameJobs(given, jobKeys);
  // For destinations that keep no state or whose tables belong to someone else, only the given state counts.
  const destinations = found
    .filter(({ sink: { keepsNothing = false, isLoadedByOthers = false } }) => !keepsNothing && !isLoadedByOthers)
    .filter(
      ({ standing: { finished, forgotten } }) => !isElsewhere || finished !== undefined || forgotten !== undefined,
    )
    .map(({ sink: { name }, standing }) => ({ name, standing }));
  const { state, resets } = keptInDestinations(same, destinations, outputs, stateIn);
  return {
    state,
    resets: [...resetJobs(withKnownJobs(given, given, jobKeys), outputs), ...changedJobs(changed, outputs), ...resets],
  };
}

/**
 * Returns the state after the last run of a configuration in all of its destinations. If it asks only for new items, they must have the
 * same state: otherwise one of them would lack items that another has.
 *
 * @throws FatalError DESTINATION_INCOMPATIBLE when they differ
 * @param stateIn returns the state after the last run of the configuration, from the whole state of a destination
 * @example commonState(sinks, standings, config, (all) => ownState(all, fingerprint))
 */
export function commonState(
  sinks: readonly DurableSink[],
  standings: readonly Standing[],
  config: Json,
  stateIn: (all: JsonObject) => JsonObject,
): JsonObject {
  const states = standings.flatMap(({ state }, at) => (sinks[at]?.keepsNothing === true ? [] : [stateIn(state)]));
  const [first = {}, ...others] = states;
  const isAlike = (other: JsonObject): boolean =>
    KEYS.every((key) => sameJson(valueOf(first, key), valueOf(other, key)));
  if (others.every(isAlike) || !isIncremental(config)) return first;
  const names = sinks.map(({ name }) => name).join(', ');
  const message =
    `The destinations do not stand at the same place, and the configuration asks only for what is new: ${names}. ` +
    `Fill them one by one, start over in empty ones, or name a file with --state.`;
  throw new FatalError('DESTINATION_INCOMPATIBLE', message);
}

const KEYS = ['time', 'headwater.cursors'];
const valueOf = (state: JsonObject, key: string): Json => ownValue(state, key) ?? null;

/** Returns whether anything in the configuration depends on earlier runs. */
function isIncremental(value: Json): boolean {
  if (isList(value)) return value.some(isIncremental);
  if (!isObject(value)) return value === 'previousStart';
  return entriesOf(value).some(([key, inner]) => key === 'incremental' || isIncremental(inner));
}

/** A state, and the parts that no longer count. */
export interface Counted {
  readonly state: JsonObject;
  readonly resets: readonly Fault[];
}

/**
 * Returns a state reduced to what all destinations have: the rows of earlier runs may be in other destinations, or in none.
 *
 * @param stateIn returns the state after the last run of the configuration, from the whole state of a destination
 */
function keptInDestinations(
  given: JsonObject,
  destinations: readonly FoundDestination[],
  outputs: readonly OutputPlan[],
  stateIn: (all: JsonObject) => JsonObject,
): Counted {
  let state = given;
  const resets: Fault[] = [];
  for (const destination of destinations) {
    const has = stateIn(destination.standing.state);
    const back = new Set(
      jobsIn(outputs)
        .map(({ id }) => id)
        .filter((id) => isAhead(state, has, id)),
    );
    const paths = jobsIn(outputs)
      .filter(({ id }) => back.has(id))
      .map(({ path }) => `${path}.incremental`);
    for (const id of back) state = withCursorsOf(state, id, (reached) => nearest(reached, cursorIn(has, id) ?? {}));
    if (sinceIn(outputs).length > 0 && previousStartOf(has) < previousStartOf(state)) {
      state = withPreviousStart(state, previousStartOf(has));
      paths.push(...sinceIn(outputs));
    }
    resets.push(...paths.map((path) => ({ path, message: message(destination) })));
  }
  return { state, resets };
}

const message = ({ name, standing: { forgotten, finished } }: FoundDestination): string => {
  if (forgotten !== undefined) return `asks for everything again: ${name}: ${forgotten}`;
  if (finished === undefined)
    return (
      `asks for everything: ${name} is new, and has nothing of what the state says that earlier runs have loaded. ` +
      'A place to begin at all the same is "initial" of the job.'
    );
  return (
    `asks from where ${name} has come to, which is less than the state says: other runs have filled it, those of this configuration before it ` +
    'was changed, or it was put back to an earlier time.'
  );
};

/** Returns the state with other cursors of a job; a job without a cursor has none. */
function withCursorsOf(state: JsonObject, job: string, of: (reached: Json) => Json): JsonObject {
  const jobs = ownValue(state, CURSORS);
  if (!isObject(jobs)) return state;
  const changed = entriesOf(jobs).flatMap(([id, reached]) => {
    const next = id === job ? of(reached) : reached;
    return isObject(next) && entriesOf(next).length === 0 ? [] : [[id, next] as const];
  });
  return withMember(state, CURSORS, objectFrom(changed));
}

const cursorIn = (state: JsonObject, job: string): Json | undefined => {
  const jobs = ownValue(state, CURSORS);
  return isObject(jobs) ? ownValue(jobs, job) : undefined;
};

/** Returns whether a job has a later cursor in one state than in another, for any of its parents. */
function isAhead(state: JsonObject, other: JsonObject, job: string): boolean {
  const reached = cursorsOf(other).get(job);
  return [...(cursorsOf(state).get(job) ?? [])].some(([parent, value]) => {
    const there = reached?.get(parent);
    return there === undefined || isEarlier(there, value);
  });
}

/**
 * Returns a state without the cursors of removed iterations, if there are new ones that differ from them only by secrets, since they cannot
 * be distinguished: these restart, with a warning.
 *
 * @param outputs one for each iteration
 */
function withoutFormerIterations(state: JsonObject, outputs: readonly OutputPlan[]): Counted {
  let left = state;
  const resets = new Map<number, Fault>();
  const jobs = outputs.flatMap(({ incrementalJobs = [] }, at) => incrementalJobs.map((job) => ({ ...job, at })));
  for (const [id, parents] of cursorsOf(state)) {
    const now = jobs.flatMap(({ id: own, at, iteration }) =>
      own === id && iteration !== undefined ? { at, iteration } : [],
    );
    const known = new Set(Array.from(parents.keys(), nameIn));
    const fresh = now.filter(({ iteration }) => !known.has(iteration));
    const isFormer = (name: string): boolean =>
      !now.some(({ iteration }) => iteration === name) &&
      fresh.some(({ iteration }) => digestIn(iteration) === digestIn(name));
    const former = new Set([...known].filter(isFormer));
    if (former.size === 0) continue;
    for (const { at, iteration } of fresh)
      if ([...former].some((name) => digestIn(name) === digestIn(iteration)))
        resets.set(at, { path: `iterations[${at}]`, message: MESSAGE });
    left = withCursorsOf(left, id, (reached) =>
      isObject(reached) ? objectFrom(entriesOf(reached).filter(([parent]) => !former.has(nameIn(parent)))) : reached,
    );
  }
  return { state: left, resets: [...resets.values()] };
}

const MESSAGE =
  'asks for everything: only its secrets distinguish it from other iterations of this run or of earlier ones, and no earlier run had them here. ' +
  'That is so where a secret was renewed, and where iterations come and go. Give each iteration a value that is no secret, such as ' +
  '"account": "a": then it goes on from where it was.';

/** Returns the name of the iteration at the beginning of the name of a parent. */
const nameIn = (parent: string): string => parent.split('{', 1)[0] ?? '';

/** Returns the digest of an iteration without its secrets. */
const digestIn = (iteration: string): string => iteration.split('.', 1)[0] ?? '';

/**
 * A state without the cursors for lost tables, and the tables whose rows may have been removed on purpose. Later rows alone would be in a
 * lost table.
 */
export interface CountedTables extends Counted {
  readonly emptied: readonly Fault[];
  /** The tables that are gone, by their destinations: there is one warning for them. */
  readonly gone: ReadonlyMap<DurableSink, ReadonlySet<string>>;
}

/** A table of a place that asks only for new items. */
interface AskedTable {
  readonly table: string;
  readonly isMerged: boolean;
}

/** A place that asks only for new items, and its tables: the table of the job, then those of the jobs below it. */
interface Asking {
  readonly path: string;
  readonly tables: readonly AskedTable[];
  /** The id of the job; absent: it asks by `time.previousStart`. */
  readonly job?: string;
}

/**
 * Checks whether the tables that runs have filled still exist, including those of the lists in them.
 *
 * @param state the state of the earlier runs
 */
async function withoutLostTables(
  state: JsonObject,
  found: readonly { readonly sink: DurableSink; readonly standing: Standing }[],
  outputs: readonly OutputPlan[],
): Promise<CountedTables> {
  const asking = askingIn(state, outputs);
  let left = state;
  const resets: Fault[] = [];
  const emptied: Fault[] = [];
  const gone = new Map<DurableSink, ReadonlySet<string>>();
  for (const { sink, standing } of found) {
    const filled = filledIn(standing.state);
    const { tables, standOf } = await standsIn(sink, filled, asking);
    gone.set(sink, new Set(tables.filter((table) => standOf(table) === 'gone')));
    const named = (table: string): string => `the table ${JSON.stringify(table)} of ${sink.name}`;
    for (const { path, tables: asked, job } of asking) {
      const lost = asked.flatMap(({ table, isMerged }) => {
        const stand = standOf(table);
        // Rows that are only added may be removed by their consumer; the rows of lists are removed with their items.
        const isLost = stand === 'gone' || (stand === 'empty' && isMerged);
        if (stand === 'empty' && !isMerged) emptied.push({ path, message: `${named(table)} ${EMPTIED}` });
        const lists = listsOf(filled, table).filter((list) => standOf(list) === 'gone');
        return [...(isLost ? [table] : []), ...lists];
      });
      const [first] = lost;
      if (first === undefined) continue;
      left = job === undefined ? withPreviousStart(left, 0) : withCursorsOf(left, job, () => ({}));
      const what = standOf(first) === 'gone' ? GONE : EMPTY;
      resets.push({ path, message: `asks for everything again: ${named(first)} ${what}` });
    }
  }
  return { state: left, resets, emptied, gone };
}

/** Returns the status of the tables that runs have filled; others count as intact. */
async function standsIn(sink: DurableSink, filled: FilledTables, asking: readonly Asking[]) {
  const own = asking.flatMap(({ tables }) => tables.map(({ table }) => table));
  const known = new Set(own.flatMap((table) => [table, ...listsOf(filled, table)]));
  const stands = new Map<string, TableStand>();
  for (const table of known) if (filled.has(table)) stands.set(table, (await sink.standOf?.(table)) ?? 'filled');
  return { tables: [...stands.keys()], standOf: (table: string): TableStand => stands.get(table) ?? 'filled' };
}

const GONE = 'is gone.';
const EMPTY = 'has no rows any more.';
const EMPTIED =
  'has no rows any more: only what is new comes. If all of it should come again, remove the table, and run again.';

function askingIn(state: JsonObject, outputs: readonly OutputPlan[]): readonly Asking[] {
  const known = cursorsOf(state);
  const tablesOf = (dataType: string, below: readonly string[] = []): readonly AskedTable[] =>
    [dataType, ...below.filter((each) => outputs.some((output) => isAddedTo(output, each)))].map((each) => ({
      table: tableOf(outputs, each),
      isMerged: outputs.some(({ primaryKeys }) => (primaryKeys?.get(each) ?? []).length > 0),
    }));
  const byField = jobsIn(outputs)
    .filter(({ id }) => (known.get(id)?.size ?? 0) > 0)
    .map(({ id, path, dataType, below }) => ({
      ...{ path: `${path}.incremental`, job: id },
      tables: tablesOf(dataType, dataTypesOf(below)),
    }));
  const bySince = previousStartOf(state) > 0 ? sinceTables(outputs) : [];
  return [
    ...byField,
    ...bySince.map(({ path, dataTypes: [first = '', ...below] }) => ({ path, tables: tablesOf(first, below) })),
  ];
}

/** Returns whether rows are added to a table or merged into it; a table that is replaced has no earlier rows to lose. */
const isAddedTo = ({ incremental, loads }: OutputPlan, dataType: string): boolean =>
  (loads?.get(dataType) ?? (incremental ? 'append' : 'replace')) !== 'replace';

/** Returns the name of the table of a dataType. */
const tableOf = (outputs: readonly OutputPlan[], dataType: string): string =>
  outputs.find(({ tables }) => tables?.has(dataType))?.tables?.get(dataType) ?? dataType;

/**
 * Returns the tables with items of jobs that ask only for new items, and of the jobs below them.
 *
 * @param jobs the jobs of a run, with how many items each gave
 */
export function filledBy(
  outputs: readonly OutputPlan[],
  jobs: readonly { readonly dataType: string; readonly items: number }[],
): readonly string[] {
  const byField = jobsIn(outputs).flatMap(({ dataType, below }) => [dataType, ...dataTypesOf(below)]);
  const asking = new Set([...byField, ...sinceTables(outputs).flatMap(({ dataTypes }) => dataTypes)]);
  return jobs
    .filter(({ dataType, items }) => items > 0 && asking.has(dataType))
    .map(({ dataType }) => tableOf(outputs, dataType));
}
