import { bimap, type Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { entriesOf, isList, objectFrom, ownValue } from '../json/keys';
import type { JsonObject } from '../model';
import { api } from './api/api';
import { contextAt, findingsOf, type Codec, type Input } from '../codec/codec';
import type { Api, RunConfiguration, Settings } from './configuration';
import type { Finding } from '../codec/finding';
import { functionNotes } from './values/function-keys';
import { scrollerNames } from './pagination/codec';
import type { Parts } from './parts/parts';
import { homesOf } from './parts/homes';
import { placeJobs } from './jobs/place-jobs';
import { referencedIn } from './referenced';
import { asObject } from '../codec/primitives';
import { requiredHeaderNames, settings, type SettingsDraft } from './settings';
import { together } from '../codec/together';

/** One run before decoding: the effective `config` and where each of its keys was written. */
export interface RunSource {
  readonly document: JsonObject;
  readonly config: JsonObject;
  /** The iteration, if there are any. */
  readonly entry?: { readonly at: number; readonly keys: JsonObject };
}

/**
 * The runs of a configuration (docs/language/configuration.md#iterations): one an iteration, whose keys replace those
 * of `config`.
 */
export function runsOf(document: JsonObject): readonly RunSource[] {
  const config = asObject(ownValue(document, 'config')) ?? {};
  const iterations = ownValue(document, 'iterations');
  if (!isList(iterations) || iterations.length === 0) return [{ document, config }];
  return iterations.map((iteration, at) => {
    const keys = asObject(iteration) ?? {};
    const effective = objectFrom(new Map([...entriesOf(config), ...entriesOf(keys)]));
    return { document, config: effective, entry: { at, keys } };
  });
}

/** Decodes one run; every fault stands where its key was written. */
export function decodeRun(run: RunSource, parts: Parts): Either<readonly Finding[], RunConfiguration> {
  return pipe(
    together({
      api: section(apiCodec(run, parts), ownValue(run.document, 'api'), 'api'),
      settings: section(settingsCodec(run, parts), run.config, 'config'),
    }),
    bimap(
      (errors) => findingsOf(errors).map((finding) => whereWritten(finding, run)),
      (parts) => ({
        path: run.entry === undefined ? 'config' : `iterations[${run.entry.at}]`,
        api: parts.api,
        settings: placed(parts.settings, run),
        attributes: objectFrom(entriesOf(run.config).filter(([key]) => key !== 'jobs')),
      }),
    ),
  );
}

/** The warnings about one run. */
export function notesOfRun(run: RunSource, parts: Parts): readonly Finding[] {
  const notes = [
    ...apiCodec(run, parts).notes(ownValue(run.document, 'api'), ['api']),
    ...settingsCodec(run, parts).notes(run.config, ['config']),
    ...functionNotes(ownValue(run.document, 'api'), ['api']),
    ...functionNotes(ownValue(run.config, 'jobs'), ['config', 'jobs']),
  ];
  return notes.map((finding) => whereWritten(finding, run));
}

const apiCodec = ({ document, config }: RunSource, parts: Parts): Codec<Api> => api({ parts, document, config });

const settingsCodec = ({ document }: RunSource, parts: Parts): Codec<SettingsDraft> => {
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
export function whereWritten(finding: Finding, { entry }: RunSource): Finding {
  const [root, key, ...rest] = finding.path;
  if (entry === undefined || root !== 'config' || key === undefined || !Object.hasOwn(entry.keys, key)) return finding;
  return { ...finding, path: ['iterations', String(entry.at), key, ...rest] };
}

function placed({ jobs, requestLimit, ...settings }: SettingsDraft, { entry }: RunSource): Settings {
  const isFromIteration = entry !== undefined && Object.hasOwn(entry.keys, 'jobs');
  const path = isFromIteration ? `iterations[${entry.at}].jobs` : 'config.jobs';
  return { ...settings, jobs: placeJobs(jobs, path, requestLimit) };
}
