/** How far jobs have come, in a destination that several configurations may share: by what the jobs ask. */
import { entriesOf, isObject, objectFrom, ownValue } from '../json/keys';
import { withMember } from '../json/literals';
import type { Json, JsonObject } from '../model';
import { askedByJob } from './asked';
import { CURSORS } from './cursors';

const KEY = 'headwater.jobs';
/** The maximum number of jobs that are kept, the latest ones. */
const MOST = 2_000;

/** What tells each job that asks only for what is new from others, by its id. */
export type JobKeys = ReadonlyMap<string, string>;

/**
 * @param jobs the jobs of the configuration that ask only for what is new
 * @example jobKeysOf(config, [{ id: 'a', path: 'config.jobs[0]' }]).get('a')
 */
export function jobKeysOf(config: Json, jobs: readonly { readonly id: string; readonly path: string }[]): JobKeys {
  const paths = new Map(jobs.map(({ id, path }) => [id, path]));
  const keys = new Map(Array.from(paths, ([id, path]) => [id, askedByJob(config, path)] as const));
  const all = [...keys.values()];
  // Of jobs that differ in their page size only, nobody knows which is which.
  return new Map([...keys].filter(([, key]) => all.filter((other) => other === key).length === 1));
}

/** The state of a configuration, with what is known of its jobs otherwise. */
export function withKnownJobs(own: JsonObject, all: JsonObject, keys: JobKeys): JsonObject {
  const cursors = objectIn(own, CURSORS);
  const jobs = objectIn(all, KEY);
  const found = Array.from(keys).flatMap(([id, key]) => {
    const known = ownValue(cursors, id) === undefined ? ownValue(jobs, key) : undefined;
    return isObject(known) ? [[id, known] as const] : [];
  });
  return found.length === 0 ? own : withMember(own, CURSORS, objectFrom([...entriesOf(cursors), ...found]));
}

/** All that is known, with how far the jobs of a state have come. */
export function withJobsOf(all: JsonObject, own: JsonObject, keys: JobKeys): JsonObject {
  const cursors = objectIn(own, CURSORS);
  const known = Array.from(keys).flatMap(([id, key]) => {
    const reached = ownValue(cursors, id);
    return reached === undefined ? [] : [[key, reached] as const];
  });
  if (known.length === 0) return all;
  const now = new Set(known.map(([key]) => key));
  const others = entriesOf(objectIn(all, KEY)).filter(([key]) => !now.has(key));
  return withMember(all, KEY, objectFrom([...others, ...known].slice(-MOST)));
}

function objectIn(state: JsonObject, key: string): JsonObject {
  const value = ownValue(state, key);
  return isObject(value) ? value : {};
}
