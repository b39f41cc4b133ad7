/** Merges configurations that are parts of one (docs/language/files.md#parts). */
import { isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { keepPlaces, objectOf, withMember } from '../../core/json/literals';
import type { Json, JsonArray, JsonObject } from '../../core/model';

/** The origin of a value: the part, and its place there. */
export interface Origin {
  readonly part: number;
  readonly keys: readonly string[];
}

/** Several parts merged into one configuration. */
export interface Merged {
  readonly value: Json;
  /** Returns the origin of the value at a path of keys, or the nearest one. */
  readonly originOf: (keys: readonly string[]) => Origin;
}

/** For each part, its jobs' indexes by their indexes in the merged array. */
type JobPlaces = readonly ReadonlyMap<number, number>[];

/**
 * Merges parts, with later ones over earlier ones: objects merge key by key, jobs of `config.jobs` by their `id`; any
 * other array or value replaces the one before, also in the place of jobs. Jobs without an `id`, or with a new one, are
 * added at the end.
 *
 * @param parts the parts in either form; the result has the bare form
 * @example mergeParts([{ api: { baseUrl: 'https://a.example' } }, { config: { jobs: [] } }]).value
 */
export function mergeParts(parts: readonly JsonObject[]): Merged {
  const bare = parts.map(bareOf);
  const { jobs, places } = mergeJobs(bare.map(jobsOf));
  const merged = bare.reduce(mergeObjects, {});
  const config = ownValue(merged, 'config');
  const value =
    jobs !== undefined && isObject(config) ? withMember(merged, 'config', withMember(config, 'jobs', jobs)) : merged;
  return { value, originOf: (keys) => originIn(bare, places, keys) };
}

/** Returns the bare form: the content of `parameters`, merged with its neighbours. */
function bareOf(part: JsonObject): JsonObject {
  const inside = ownValue(part, 'parameters');
  if (!isObject(inside)) return part;
  const fields = [
    ...keysOf(part).flatMap((key) => (key === 'parameters' ? [] : [{ key, holder: part, from: key }])),
    ...keysOf(inside).map((key) => ({ key, holder: inside, from: key })),
  ];
  return objectOf(fields);
}

function mergeObjects(under: JsonObject, over: JsonObject): JsonObject {
  const keys = [...new Set([...keysOf(under), ...keysOf(over)])];
  const top = objectOf(keys.map((key) => ({ key, holder: Object.hasOwn(over, key) ? over : under, from: key })));
  return keysOf(over).reduce((sofar, key) => {
    const [before, after] = [ownValue(under, key), ownValue(over, key)];
    return isObject(before) && isObject(after) ? withMember(sofar, key, mergeObjects(before, after)) : sofar;
  }, top);
}

/**
 * Returns the value in the place of the jobs of a part: `undefined` if there is none; anything but an array replaces
 * the jobs before.
 */
function jobsOf(part: JsonObject): Json | undefined {
  const config = ownValue(part, 'config');
  if (isObject(config)) return ownValue(config, 'jobs');
  return config === undefined ? undefined : null;
}

const idOf = (job: Json): Json | undefined => (isObject(job) ? ownValue(job, 'id') : undefined);

function mergeJobs(written: readonly (Json | undefined)[]): {
  readonly jobs: JsonArray | undefined;
  readonly places: JobPlaces;
} {
  const jobs: { value: Json; readonly id: Json | undefined }[] = [];
  const replaced = written.findLastIndex((value) => value !== undefined && !isList(value));
  const lists = written.map((value, part) => (isList(value) && part > replaced ? value : undefined));
  const places = lists.map((list = []) => {
    const before = jobs.length;
    const taken = new Set<number>();
    return new Map(
      list.map((job, own) => {
        const id = idOf(job);
        // Two equal ids in one part stay two jobs, which are a fault without parts, too.
        const at = id === undefined ? -1 : jobs.findIndex((known, index) => index < before && known.id === id);
        const found = taken.has(at) ? undefined : jobs[at];
        taken.add(at);
        if (found === undefined) return [jobs.push({ value: job, id }) - 1, own];
        found.value = isObject(found.value) && isObject(job) ? mergeObjects(found.value, job) : job;
        return [at, own];
      }),
    );
  });
  if (lists.every((list) => list === undefined)) return { jobs: undefined, places };
  const all = jobs.map(({ value }) => value);
  return { jobs: keepPlaces(all.map((_, key) => ({ holder: all, key }))), places };
}

function originIn(parts: readonly JsonObject[], places: JobPlaces, keys: readonly string[]): Origin {
  const last = { part: parts.length - 1, keys, depth: -1 };
  return parts.reduceRight<Origin & { readonly depth: number }>((best, value, part) => {
    const own = keysIn(places[part], keys);
    const depth = depthOf(value, own);
    return depth > best.depth ? { part, keys: own, depth } : best;
  }, last);
}

/** Returns the same path in one part, where jobs have other indexes. */
function keysIn(places: JobPlaces[number] | undefined, keys: readonly string[]): readonly string[] {
  const [config, jobs, index, ...rest] = keys;
  if (config !== 'config' || jobs !== 'jobs' || index === undefined) return keys;
  const own = places?.get(Number(index));
  return own === undefined ? ['config', 'jobs'] : ['config', 'jobs', String(own), ...rest];
}

/** Returns the number of steps of a path that exist. */
function depthOf(value: Json | undefined, [key, ...rest]: readonly string[]): number {
  if (key === undefined) return 0;
  const inner = isList(value) ? value[Number(key)] : isObject(value) ? ownValue(value, key) : undefined;
  return inner === undefined ? 0 : 1 + depthOf(inner, rest);
}
