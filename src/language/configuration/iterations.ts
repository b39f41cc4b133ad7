import { bimap, type Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { isBlank } from '../../core/json/blank';
import { entriesOf, isList, objectFrom, ownValue } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';
import { api } from './api/api';
import { contextAt, findingsOf, type Codec, type Input } from '../codec/codec';
import type { Api, IterationConfiguration, Settings } from './configuration';
import type { Finding } from '../codec/finding';
import { functionNotes } from '../values/function-keys';
import { scrollerNames } from './pagination/codec';
import type { Parts } from '../parts/parts';
import { homesOf } from './homes';
import { placeJobs } from './jobs/place-jobs';
import { referencedIn } from './referenced';
import { asObject } from '../codec/primitives';
import { requiredHeaderNames, settings, type SettingsDraft } from './settings';
import { together } from '../codec/together';

/** One iteration before decoding: the effective `config` and where each of its keys was written. */
export interface IterationSource {
  readonly document: JsonObject;
  readonly config: JsonObject;
  /** The iteration, if there are any. */
  readonly entry?: { readonly at: number; readonly keys: JsonObject };
}

/**
 * The iterations of a configuration (docs/language/configuration.md#iterations), whose keys replace those of `config`;
 * where none are written, there is one.
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
 * Decodes one iteration; every fault stands where its key was written.
 *
 * @param own what it replaces in `config`, as it was written
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

/** The warnings about one iteration. */
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

/** A section that is absent is a fault of the root already: no more faults, and nothing decoded. */
const section = <A>(codec: Codec<A>, input: Input, key: string): t.Validation<A> =>
  isBlank(input) ? t.failures([]) : codec.validate(input, contextAt([key]));

/** Moves a finding in `config` to the iteration, if the key comes from there. */
export function whereWritten(finding: Finding, { entry }: IterationSource): Finding {
  const [root, key, ...rest] = finding.path;
  if (entry === undefined || root !== 'config' || key === undefined || !Object.hasOwn(entry.keys, key)) return finding;
  return { ...finding, path: ['iterations', String(entry.at), key, ...rest] };
}

function placed({ jobs, requestLimit, ...settings }: SettingsDraft, { entry }: IterationSource): Settings {
  const isFromIteration = entry !== undefined && Object.hasOwn(entry.keys, 'jobs');
  const path = isFromIteration ? `iterations[${entry.at}].jobs` : 'config.jobs';
  return { ...settings, jobs: placeJobs(jobs, path, requestLimit) };
}
