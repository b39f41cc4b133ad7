/** How far jobs have come, in a destination that several configurations may share: by what the jobs ask. */
import { isEarlier } from '../../core/json/order';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { withMember } from '../../core/json/literals';
import type { Json, JsonObject } from '../../core/model';
import { askedBelow, askedByJob } from '../../language/configuration/fingerprint';
import { CURSORS } from './cursors';

const KEY = 'headwater.jobs';
/** What the children ask for with which the jobs have come so far; a state of an older version does not say. */
const BELOW = 'headwater.below';
/** The maximum number of jobs that are kept, the latest ones. */
const MOST = 2_000;

/** What a job asks for that asks only for what is new. */
export interface JobKey {
  /** What tells it from others. */
  readonly asked: string;
  /** What the jobs below it ask for. */
  readonly below: readonly string[];
}

/** Jobs by their ids. */
export type JobKeys = ReadonlyMap<string, JobKey>;

/**
 * @param jobs the jobs of the configuration that ask only for what is new
 * @example jobKeysOf(config, [{ id: 'a', path: 'config.jobs[0]' }]).get('a')?.asked
 */
export function jobKeysOf(config: Json, jobs: readonly { readonly id: string; readonly path: string }[]): JobKeys {
  const paths = new Map(jobs.map(({ id, path }) => [id, path]));
  const keyOf = (path: string): JobKey => ({ asked: askedByJob(config, path), below: askedBelow(config, path) });
  const keys = new Map(Array.from(paths, ([id, path]) => [id, keyOf(path)] as const));
  const all = [...keys.values()];
  // Of jobs that differ in their page size only, nobody knows which is which.
  return new Map([...keys].filter(([, key]) => all.filter(({ asked }) => asked === key.asked).length === 1));
}

/** The state of a configuration, with what is known of its jobs otherwise. */
export function withKnownJobs(own: JsonObject, all: JsonObject, keys: JobKeys): JsonObject {
  const cursors = objectIn(own, CURSORS);
  const jobs = objectIn(all, KEY);
  const found = Array.from(keys).flatMap(([id, key]) => {
    const isAsked = ownValue(cursors, id) === undefined && hasChildren(all, key);
    const known = isAsked ? ownValue(jobs, key.asked) : undefined;
    return isObject(known) ? [[id, known] as const] : [];
  });
  return found.length === 0 ? own : withMember(own, CURSORS, objectFrom([...entriesOf(cursors), ...found]));
}

/** All that is known, with how far the jobs of a state have come; what was known of those that have come nowhere goes. */
export function withJobsOf(all: JsonObject, own: JsonObject, keys: JobKeys): JsonObject {
  const cursors = objectIn(own, CURSORS);
  const known = Array.from(keys).flatMap(([id, key]) => {
    const reached = ownValue(cursors, id);
    return reached === undefined ? [] : [[key, reached] as const];
  });
  const before = entriesOf(objectIn(all, KEY));
  const now = new Set(Array.from(keys.values(), ({ asked }) => asked));
  const others = before.filter(([key]) => !now.has(key));
  if (known.length === 0 && others.length === before.length) return all;
  const reached = [...others, ...known.map(([{ asked }, value]) => [asked, value] as const)].slice(-MOST);
  const belowBefore = objectIn(all, BELOW);
  const belowNow = new Map(known.map(([{ asked, below }]) => [asked, below]));
  const below = reached.flatMap(([key]) => {
    const children = belowNow.get(key) ?? ownValue(belowBefore, key);
    return children === undefined ? [] : [[key, children] as const];
  });
  return withMember(withMember(all, KEY, objectFrom(reached)), BELOW, objectFrom(below));
}

/** This tells whether a job has come as far as a state says with all of the children that it has now. */
function hasChildren(all: JsonObject, { asked, below }: JobKey): boolean {
  const known = ownValue(objectIn(all, BELOW), asked);
  return !isList(known) || below.every((child) => known.includes(child));
}

/**
 * A state that is kept elsewhere than in a destination, with how far the jobs have come by what they ask, and the ids of the jobs that
 * ask for something else than runs before asked under their ids: these have come nowhere. A state that says nothing of what was asked, such as one
 * that a person wrote, is taken at its word.
 */
export function withSameJobs(
  given: JsonObject,
  keys: JobKeys,
): { readonly state: JsonObject; readonly changed: readonly string[] } {
  const asked = ownValue(given, KEY);
  if (!isObject(asked)) return { state: given, changed: [] };
  const known = withKnownJobs(given, given, keys);
  const cursors = entriesOf(objectIn(known, CURSORS));
  const changed = cursors.map(([id]) => id).filter((id) => isChanged(given, asked, keys.get(id)));
  // A job that has been changed, and back again, may have come further in between than in what it asks for now.
  const kept = cursors
    .filter(([id]) => !changed.includes(id))
    .map(([id, reached]) => [id, nearest(reached, ownValue(asked, keys.get(id)?.asked ?? ''))] as const);
  return { state: kept.length === 0 ? without(known, CURSORS) : withMember(known, CURSORS, objectFrom(kept)), changed };
}

const isChanged = (given: JsonObject, jobs: JsonObject, key: JobKey | undefined): boolean =>
  key !== undefined && (ownValue(jobs, key.asked) === undefined || !hasChildren(given, key));

/** How far a job has come for each of its parents, by two accounts: the place that both know of. */
export function nearest(a: Json, b: Json | undefined): Json {
  if (!isObject(a) || !isObject(b)) return a;
  return objectFrom(
    entriesOf(a).flatMap(([parent, value]) => {
      const other = ownValue(b, parent);
      if (other === undefined) return [];
      return [[parent, isEarlier(other, value) ? other : value] as const];
    }),
  );
}

const without = (state: JsonObject, key: string): JsonObject =>
  objectFrom(entriesOf(state).filter(([each]) => each !== key));

function objectIn(state: JsonObject, key: string): JsonObject {
  const value = ownValue(state, key);
  return isObject(value) ? value : {};
}
