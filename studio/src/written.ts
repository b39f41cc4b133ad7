/** What a configuration says of its jobs: its text, laid on the parts that it extends. */
import { mergeParts } from '../../src/language/reading/merge-parts';
import type { JsonObject } from '../../src/core/model';
import { pathOf, valueAt, valueOf } from './place';
import type { Language, Path } from './place';
import type { Beneath, PartPlace } from './server';

/** A job as the configuration has it. */
export interface WrittenJob {
  /** Where it is in the whole configuration, for example `config.jobs[0].children[1]`. */
  readonly key: string;
  /** Where it is written, as previews and runs call it: in the text, or in a part. */
  readonly path: string;
  readonly name: string;
  readonly id?: string;
  readonly endpoint: string;
  readonly level: number;
  /** Whether it has children, windows or partitions, of which several may run at once. */
  readonly hasCalls: boolean;
  readonly concurrency?: number;
  readonly primaryKey: readonly string[];
  /** The field by which later runs ask for what is newer. */
  readonly cursor?: string;
  /** Absent: it stands in the text alone. */
  readonly part?: PartOfJob;
}

/** What a part says of a job. */
export interface PartOfJob extends PartPlace {
  /** The text has the job, too, and changes it. */
  readonly isChanged: boolean;
  /** By this id a job of the text changes it; absent: the text cannot. */
  readonly id?: string | number;
  readonly hasKey: boolean;
  readonly hasCursor: boolean;
  readonly cursor?: string;
}

/** What a configuration says, as far as it can be read: it is read once, however many views look at it. */
export interface Written {
  /** The text laid on its parts; without `parameters` around it. */
  readonly value: unknown;
  readonly jobs: readonly WrittenJob[];
  /** What stands around the configuration in the text: `parameters`, or nothing. */
  readonly root: Path;
  /** The text extends other files. */
  readonly hasParts: boolean;
  /** What these say, as far as that is known. */
  readonly beneath?: Beneath;
}

export const NOTHING_WRITTEN: Written = { value: undefined, jobs: [], root: [], hasParts: false };

const CALLS = ['children', 'partitions', 'window'];

/**
 * What a text says.
 *
 * @param known what the parts say that it names
 */
export function writtenIn(text: string, language: Language, known?: Beneath): Written {
  const own = valueOf(text, language);
  if (!isObject(own)) return { ...NOTHING_WRITTEN, value: own };
  const hasParts = [own['extends'] ?? []].flat().length > 0;
  const beneath = hasParts ? known : undefined;
  const { value, originOf } = mergeParts([...(beneath === undefined ? [] : [beneath.config]), own]);
  /** The place in the text; absent for what a part alone has. */
  const ownPlaceOf = (key: string): string | undefined => {
    const { part, keys } = originOf(pathOf(key).map(String));
    return beneath === undefined || part === 1 ? placeOf(keys) : undefined;
  };
  const jobsAt = (list: string, level: number): readonly WrittenJob[] =>
    listAt(value, pathOf(list)).flatMap((job, at) => {
      const key = `${list}[${at}]`;
      const own = ownPlaceOf(key);
      const part = level === 0 || own === undefined ? partOf(beneath, key, level, own !== undefined) : undefined;
      const written = {
        ...{ key, path: own ?? part?.place ?? key, level, ...factsOf(job) },
        ...(part === undefined ? {} : { part }),
      };
      return [written, ...jobsAt(`${key}.children`, level + 1)];
    });
  return {
    ...{ value, jobs: jobsAt('config.jobs', 0), hasParts },
    root: isObject(own['parameters']) ? ['parameters'] : [],
    ...(beneath === undefined ? {} : { beneath }),
  };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function listAt(value: unknown, path: Path): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? (list as readonly unknown[]) : [];
}

/** @example placeOf(['config', 'jobs', '0']) // 'config.jobs[0]' */
const placeOf = (keys: readonly string[]): string =>
  keys.map((key, at) => (/^\d+$/.test(key) ? `[${key}]` : at === 0 ? key : `.${key}`)).join('');

function factsOf(job: unknown): Omit<WrittenJob, 'key' | 'path' | 'level' | 'part'> {
  const id = nameAt(job, 'id');
  const endpoint = nameAt(job, 'endpoint') ?? '';
  const concurrency = valueAt(job, ['concurrency']);
  const cursor = cursorOf(job);
  return {
    ...{ name: nameAt(job, 'dataType') ?? id ?? endpoint, endpoint },
    hasCalls: CALLS.some((key) => valueAt(job, [key]) !== undefined),
    primaryKey: [valueAt(job, ['primaryKey']) ?? []].flat().map(String),
    ...(id === undefined ? {} : { id }),
    ...(typeof concurrency === 'number' ? { concurrency } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function nameAt(job: unknown, key: string): string | undefined {
  const found = valueAt(job, [key]);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

function cursorOf(job: unknown): string | undefined {
  const field = valueAt(job, ['incremental', 'field']);
  return typeof field === 'string' ? field : undefined;
}

/** Jobs of parts are the first ones of all, in their order; only those at the top are merged, by their ids. */
function partOf(beneath: Beneath | undefined, key: string, level: number, isChanged: boolean): PartOfJob | undefined {
  const place = beneath?.places[key];
  if (place === undefined) return undefined;
  const job = valueAt(beneath?.config, pathOf(key));
  const id = level === 0 ? valueAt(job, ['id']) : undefined;
  const cursor = cursorOf(job);
  return {
    ...{ ...place, isChanged },
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    hasKey: valueAt(job, ['primaryKey']) !== undefined,
    hasCursor: valueAt(job, ['incremental']) !== undefined,
    ...(cursor === undefined ? {} : { cursor }),
  };
}
