/** The cursors of jobs in a destination that several configurations may share, by what the jobs ask for. */
import { isEarlier } from '../../core/json/order';
import { entriesOf, isList, isObject, objectAt, objectFrom, ownValue } from '../../core/json/objects';
import { withMember } from '../../core/json/literals';
import type { Json, JsonObject } from '../../core/model';
import { askedBelow, askedByJob } from '../../language/configuration/fingerprint';
import { CURSORS } from './cursors';

const KEY = 'headwater.jobs';
/** The key for what the children asked for when the jobs got their cursors; a state of an older version lacks it. */
const BELOW = 'headwater.below';
/** The maximum number of jobs that are kept, the latest ones. */
const MOST = 2_000;

/** What a job with a cursor asks for. */
export interface JobKey {
  /** The digest that distinguishes it from other jobs. */
  readonly asked: string;
  /** The digests of the jobs below it. */
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
  // Jobs that differ only in their page size are the same here.
  return new Map([...keys].filter(([, key]) => all.filter(({ asked }) => asked === key.asked).length === 1));
}

/** Returns the state of a configuration, with the cursors of its jobs from other configurations. */
export function withKnownJobs(own: JsonObject, all: JsonObject, keys: JobKeys): JsonObject {
  const cursors = objectAt(own, CURSORS);
  const jobs = objectAt(all, KEY);
  const found = Array.from(keys).flatMap(([id, key]) => {
    const isAsked = ownValue(cursors, id) === undefined && hasChildren(all, key);
    const known = isAsked ? ownValue(jobs, key.asked) : undefined;
    return isObject(known) ? [[id, known] as const] : [];
  });
  return found.length === 0 ? own : withMember(own, CURSORS, objectFrom([...entriesOf(cursors), ...found]));
}

/** Returns all known cursors, updated with those of a state; jobs without a cursor in it lose theirs. */
export function withJobsOf(all: JsonObject, own: JsonObject, keys: JobKeys): JsonObject {
  const cursors = objectAt(own, CURSORS);
  const known = Array.from(keys).flatMap(([id, key]) => {
    const reached = ownValue(cursors, id);
    return reached === undefined ? [] : [[key, reached] as const];
  });
  const before = entriesOf(objectAt(all, KEY));
  const now = new Set(Array.from(keys.values(), ({ asked }) => asked));
  const others = before.filter(([key]) => !now.has(key));
  if (known.length === 0 && others.length === before.length) return all;
  const reached = [...others, ...known.map(([{ asked }, value]) => [asked, value] as const)].slice(-MOST);
  const belowBefore = objectAt(all, BELOW);
  const belowNow = new Map(known.map(([{ asked, below }]) => [asked, below]));
  const below = reached.flatMap(([key]) => {
    const children = belowNow.get(key) ?? ownValue(belowBefore, key);
    return children === undefined ? [] : [[key, children] as const];
  });
  return withMember(withMember(all, KEY, objectFrom(reached)), BELOW, objectFrom(below));
}

/** Returns whether the cursor of a job in a state covers all children that it has now. */
function hasChildren(all: JsonObject, { asked, below }: JobKey): boolean {
  const known = ownValue(objectAt(all, BELOW), asked);
  return !isList(known) || below.every((child) => known.includes(child));
}

/**
 * Returns a state that is kept elsewhere than in a destination, with the cursors of the jobs by what they ask for, and the ids of the jobs
 * that now ask for something else: these have no cursor. A state without what was asked for, such as a hand-written one, is used unchanged.
 */
export function withSameJobs(
  given: JsonObject,
  keys: JobKeys,
): { readonly state: JsonObject; readonly changed: readonly string[] } {
  const asked = ownValue(given, KEY);
  if (!isObject(asked)) return { state: given, changed: [] };
  const known = withKnownJobs(given, given, keys);
  const cursors = entriesOf(objectAt(known, CURSORS));
  const changed = cursors.map(([id]) => id).filter((id) => isChanged(given, asked, keys.get(id)));
  // A job that was changed and changed back may have a later cursor from in between.
  const kept = cursors
    .filter(([id]) => !changed.includes(id))
    .map(([id, reached]) => [id, nearest(reached, ownValue(asked, keys.get(id)?.asked ?? ''))] as const);
  return { state: kept.length === 0 ? without(known, CURSORS) : withMember(known, CURSORS, objectFrom(kept)), changed };
}

const isChanged = (given: JsonObject, jobs: JsonObject, key: JobKey | undefined): boolean =>
  key !== undefined && (ownValue(jobs, key.asked) === undefined || !hasChildren(given, key));

/** Returns the nearer of two cursors of a job for each of its parents: the place that both have reached. */
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
