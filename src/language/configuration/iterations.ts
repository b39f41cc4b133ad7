import { bimap } from 'fp-ts/lib/Either';
import type { Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { isBlank } from '../../core/json/scalars';
import type { JsonObject } from '../../core/model';
import { contextAt, findingsOf, together } from '../codec/codec';
import type { Codec, Input } from '../codec/codec';
import type { Finding } from '../codec/finding';
import { asObject } from '../codec/primitives';
import type { Parts } from '../parts/parts';
import { functionNotes } from './request';
import { api } from './api/api';
import type { Api, IterationConfiguration, Job, Settings } from './configuration';
import type { JobDraft } from './jobs/jobs';
import { namesIn } from './jobs/placeholders';
import { homesOf } from './misplaced';
import { scrollerNames } from './pagination';
import { requiredHeaderNames, settings } from './settings';
import type { SettingsDraft } from './settings';

/**
 * Completes jobs by their place. If jobs of one array have equal ids, the later one replaces the earlier one at the
 * earlier place (docs/language/jobs.md#identity). A job without `requestLimit` inherits the one of its parent, a
 * top-level job the one of `config`.
 *
 * @param path the path of the array, for example `config.jobs`
 */
function placeJobs(drafts: readonly JobDraft[], path: string, requestLimit: number): readonly Job[] {
  const byId = new Map<string, Job>();
  drafts.forEach((draft, at) => byId.set(draft.id, placeJob(draft, `${path}[${at}]`, requestLimit)));
  return [...byId.values()];
}

function placeJob(draft: JobDraft, path: string, inheritedLimit: number): Job {
  const requestLimit = draft.requestLimit ?? inheritedLimit;
  return { ...draft, path, requestLimit, children: placeJobs(draft.children, `${path}.children`, requestLimit) };
}

/**
 * Returns a function that tests whether an attribute is read somewhere in the configuration, as `{"attr": "name"}` or
 * `{"attr": "name.inner"}`, or by its name in an endpoint. Such an attribute is a user attribute, even if its name
 * resembles a reserved one.
 */
export function referencedIn(document: Input): (name: string) => boolean {
  let names: readonly string[] | undefined;
  return (name) => {
    names ??= attributesReadIn(document);
    return names.some((read) => read === name || read.startsWith(`${name}.`));
  };
}

/** Returns the names that {@link referencedIn} finds. */
export function attributesReadIn(value: Input): readonly string[] {
  if (isList(value)) return value.flatMap(attributesReadIn);
  if (!isObject(value)) return [];
  return entriesOf(value).flatMap(([key, inner]) => {
    if (typeof inner !== 'string') return attributesReadIn(inner);
    if (key === 'endpoint') return namesIn(inner);
    return key === 'attr' ? [inner] : [];
  });
}

/** One iteration before decoding: the effective `config` and the place where each of its keys was written. */
export interface IterationSource {
  readonly document: JsonObject;
  readonly config: JsonObject;
  /** The iteration, if there are any. */
  readonly entry?: { readonly at: number; readonly keys: JsonObject };
}

/**
 * Returns the iterations of a configuration (docs/language/configuration.md#iterations), whose keys replace those of
 * `config`; without iterations there is a single one.
 */
export function iterationsOf(document: JsonObject): readonly IterationSource[] {
  const config = asObject(ownValue(document, 'config')) ?? {};
  const iterations = ownValue(document, 'iterations');
  if (!isList(iterations) || iterations.length === 0) return [{ document, config }];
  return iterations.map((iteration, at) => {
    const keys = asObject(iteration) ?? {};
    const effective = objectFrom(new Map([...entriesOf(config), ...entriesOf(keys)]));
    return { document, config: effective, entry: { at, keys } };
  });
}

/**
 * Decodes one iteration; every fault has the place where its key was written.
 *
 * @param own the keys that the iteration replaces in `config`, as written
 */
export function decodeIteration(
  source: IterationSource,
  parts: Parts,
  own = source.entry?.keys,
): Either<readonly Finding[], IterationConfiguration> {
  return pipe(
    together({
      api: section(apiCodec(source, parts), ownValue(source.document, 'api'), 'api'),
      settings: section(settingsCodec(source, parts), source.config, 'config'),
    }),
    bimap(
      (errors) => findingsOf(errors).map((finding) => whereWritten(finding, source)),
      (parts) => ({
        path: source.entry === undefined ? 'config' : `iterations[${source.entry.at}]`,
        api: parts.api,
        settings: placed(parts.settings, source),
        attributes: objectFrom(entriesOf(source.config).filter(([key]) => key !== 'jobs')),
        ...(own === undefined ? {} : { own }),
      }),
    ),
  );
}

/** Returns the warnings about one iteration. */
export function notesOfIteration(source: IterationSource, parts: Parts): readonly Finding[] {
  const notes = [
    ...apiCodec(source, parts).notes(ownValue(source.document, 'api'), ['api']),
    ...settingsCodec(source, parts).notes(source.config, ['config']),
    ...functionNotes(ownValue(source.document, 'api'), ['api']),
    ...functionNotes(ownValue(source.config, 'jobs'), ['config', 'jobs']),
  ];
  return notes.map((finding) => whereWritten(finding, source));
}

const apiCodec = ({ document, config }: IterationSource, parts: Parts): Codec<Api> => api({ parts, document, config });

const settingsCodec = ({ document }: IterationSource, parts: Parts): Codec<SettingsDraft> => {
  const written = ownValue(document, 'api');
  return settings({
    parts,
    homes: () => homesOf(parts),
    scrollers: scrollerNames(written),
    requiredHeaders: requiredHeaderNames(written),
    isReferenced: referencedIn(document),
  });
};

/**
 * Decodes a section. A missing section is already a fault of the root: it adds no more faults, and decodes to nothing.
 */
const section = <A>(codec: Codec<A>, input: Input, key: string): t.Validation<A> =>
  isBlank(input) ? t.failures([]) : codec.validate(input, contextAt([key]));

/** Moves a finding in `config` to the iteration, if the key comes from there. */
export function whereWritten(finding: Finding, { entry }: IterationSource): Finding {
  const [root, key, ...rest] = finding.path;
  if (entry === undefined || root !== 'config' || key === undefined || !Object.hasOwn(entry.keys, key)) return finding;
  return { ...finding, path: ['iterations', String(entry.at), key, ...rest] };
}

/** Returns the path of a key of the effective `config`: that of the iteration, if the key is written there. */
export const placeInConfig = ({ path, own = {} }: Pick<IterationConfiguration, 'path' | 'own'>, key: string): string =>
  `${Object.hasOwn(own, key) ? path : 'config'}.${key}`;

function placed({ jobs, requestLimit, ...settings }: SettingsDraft, { entry }: IterationSource): Settings {
  const isFromIteration = entry !== undefined && Object.hasOwn(entry.keys, 'jobs');
  const path = isFromIteration ? `iterations[${entry.at}].jobs` : 'config.jobs';
  return { ...settings, jobs: placeJobs(jobs, path, requestLimit) };
}
