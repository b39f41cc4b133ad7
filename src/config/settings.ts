import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { entriesOf, isList } from '../json/keys';
import type { JsonObject } from '../model';
import { completeness } from './completeness';
import { noting, refine, refuse, type Codec, type Input } from '../codec/codec';
import type { Settings } from './configuration';
import { sameHeader } from './headers';
import { concurrency, prefetch } from '../codec/flow';
import { jobs, requestLimit, type JobDraft, type ScrollerNames } from './jobs';
import { mappings } from './mappings';
import type { Parts } from './parts';
import { primaryKeys } from './primary-keys';
import {
  flag,
  integerFrom,
  list,
  object,
  objectOrScalar,
  string,
  text,
  valueOf,
  zeroCounts,
} from '../codec/primitives';
import { always, optional, record, required, withDefault } from '../codec/record';
import { reservedMisspelled } from './reserved-names';

/** Requests of one job run before it is taken for endless. */
const REQUEST_LIMIT = 100_000;

/** What `config` takes from `api`. */
export interface ApiNames {
  readonly parts: Parts;
  readonly scrollers: ScrollerNames;
  readonly requiredHeaders: readonly string[];
  /** True where an expression reads an attribute of this name. */
  readonly isReferenced: (name: string) => boolean;
}

/** {@link Settings} whose jobs do not know their place yet. */
export interface SettingsDraft extends Omit<Settings, 'jobs'> {
  readonly jobs: readonly JobDraft[];
  readonly requestLimit: number;
}

/** The names in `api.http.requiredHeaders`. */
export function requiredHeaderNames(api: Input): readonly string[] {
  const names = valueOf(valueOf(api, 'http'), 'requiredHeaders');
  return isList(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** `config.http.headers` (language 2.5): every required header has a value. */
const headersWith = (names: readonly string[]): Codec<JsonObject> =>
  refine('Headers', object, (headers, context) => {
    const given = entriesOf(headers).filter(([, value]) => !isBlank(value));
    const missing = names.filter((name) => !given.some(([written]) => sameHeader(written, name)));
    const errors = missing.map((name) => ({
      value: undefined,
      context: t.appendContext(context, name, object),
      message: 'required: api.http.requiredHeaders asks for this header',
    }));
    return errors.length > 0 ? t.failures(errors) : t.success(headers);
  });

/** Tools write an empty list of jobs for a configuration that nobody has filled yet. */
const noJobsNoted = (jobList: Codec<readonly JobDraft[]>): Codec<readonly JobDraft[]> =>
  noting(jobList, (input, path) =>
    isList(input) && input.length === 0 ? [{ path, message: 'is empty: there is nothing to do' }] : [],
  );

const compatLevel: Codec<Settings['compatLevel']> = refine(
  'CompatLevel',
  integerFrom(1, 3),
  (level, context, input) => {
    if (level === 1 || level === 2 || level === 3) return t.success(level);
    return refuse(input, context, 'expected 1, 2 or 3');
  },
);

/** Columns of a table that a person may still read. */
const MAX_COLUMNS = 2_000;
const maxColumns = integerFrom(1, 1_000_000);

/** `config` (language 1.3). Keys that are not reserved are user attributes. */
export const settings = ({ parts, scrollers, requiredHeaders, isReferenced }: ApiNames): Codec<SettingsDraft> => {
  const fields = {
    jobs: { ...required(noJobsNoted(jobs({ parts, scrollers })), 'a list of at least one job'), emptyList: true },
    outputBucket: optional(text),
    id: optional(text),
    incrementalOutput: always(flag(false)),
    mappings: optional(mappings),
    primaryKeys: optional(primaryKeys),
    userData: optional(objectOrScalar),
    http: always(record('ConfigHttp', { headers: always(headersWith(requiredHeaders)) })),
    debug: always(flag(false)),
    compatLevel: withDefault(compatLevel, 3),
    requestLimit: withDefault(requestLimit, REQUEST_LIMIT),
    concurrency: withDefault(concurrency, 1),
    prefetch: always(zeroCounts(prefetch, 1)),
    ordered: always(flag(true)),
    completeness: optional(completeness),
    sinks: always(list(string)),
    maxColumns: withDefault(maxColumns, MAX_COLUMNS),
  };
  return refine(
    'Settings',
    record('SettingsAsWritten', fields, reservedMisspelled(isReferenced)),
    ({ http, ...rest }) => t.success({ ...rest, headers: http.headers }),
  );
};
