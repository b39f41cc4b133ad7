import * as t from 'io-ts';
import { isBlank } from '../../core/json/scalars';
import { entriesOf, isList } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import { completeness } from './pagination';
import { map, noting, refine, refuse } from '../codec/codec';
import type { Codec, Input } from '../codec/codec';
import type { Settings } from './configuration';
import { expressions, sameHeader } from './request';
import { destination } from './destination';
import { concurrency, prefetch } from '../codec/values';
import { requestLimit } from './jobs/fields';
import type { ScrollerNames } from './jobs/fields';
import { jobs } from './jobs/jobs';
import type { JobDraft } from './jobs/jobs';
import { load, primaryKeys } from './jobs/table';
import type { Homes } from './reserved-names';
import { mappings } from './mappings';
import type { Parts } from '../parts/parts';
import { flag, integerFrom, list, object, objectOrScalar, text, valueOf, zeroCounts } from '../codec/primitives';
import { always, optional, record, required, withDefault } from '../codec/record';
import { reservedMisspelled } from './reserved-names';

/** The number of requests after which one call of a job counts as endless. */
const REQUEST_LIMIT = 100_000;

/** Values of `api` that affect `config`. */
export interface ApiNames {
  readonly parts: Parts;
  readonly scrollers: ScrollerNames;
  readonly requiredHeaders: readonly string[];
}

/** Distinguishes attributes from misspelled keys. */
export interface AttributeNames {
  /** Returns the right places of the keys of the language. */
  readonly homes: () => Homes;
  /** True if an expression reads an attribute of this name. */
  readonly isReferenced: (name: string) => boolean;
}

/** {@link Settings} whose jobs do not have their place yet. */
export interface SettingsDraft extends Omit<Settings, 'jobs'> {
  readonly jobs: readonly JobDraft[];
  readonly requestLimit: number;
}

/** Returns the names in `api.http.requiredHeaders`. */
export function requiredHeaderNames(api: Input): readonly string[] {
  const names = valueOf(valueOf(api, 'http'), 'requiredHeaders');
  return isList(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** Reads `config.http.headers` (docs/language/requests.md#headers): every required header has a value. */
const headersWith = (names: readonly string[]): Codec<JsonObject> =>
  refine('Headers', expressions, (headers, context) => {
    const given = entriesOf(headers).filter(([, value]) => !isBlank(value));
    const missing = names.filter((name) => !given.some(([written]) => sameHeader(written, name)));
    const errors = missing.map((name) => ({
      value: undefined,
      context: t.appendContext(context, name, object),
      message: 'required: api.http.requiredHeaders asks for this header',
    }));
    return errors.length > 0 ? t.failures(errors) : t.success(headers);
  });

/** Warns of an empty array of jobs: tools write it for a configuration that is not filled in yet. */
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

/** The default number of columns of a table that a person can still read. */
const MAX_COLUMNS = 2_000;
const maxColumns = integerFrom(1, 1_000_000);

/** `config` (docs/language/configuration.md#config). Keys that are not reserved are user attributes. */
export const settings = (names: ApiNames & AttributeNames): Codec<SettingsDraft> =>
  refine('Settings', settingsRecord(names), ({ http, ...rest }) => t.success({ ...rest, headers: http.headers }));

const settingsRecord = (names: ApiNames & AttributeNames) => {
  const fields = settingsFields(names);
  return record('SettingsAsWritten', fields, reservedMisspelled(fields, names.homes, names.isReferenced));
};

/** Returns the reserved keys of `config`. */
export const settingsFields = ({ parts, scrollers, requiredHeaders }: ApiNames) => ({
  jobs: {
    ...required(noJobsNoted(jobs({ parts, scrollers })), 'an array of at least one job', {
      about: 'The [jobs](jobs.md), in order.',
      example: [{ endpoint: 'ships' }],
    }),
    emptyList: true,
  },
  outputBucket: optional(text, { about: 'The bucket of the tables.', example: 'ships' }),
  id: optional(text, {
    about: 'The id of the configuration.',
    example: 'ships-eu',
  }),
  incrementalOutput: always(flag(false), {
    about: 'Adds rows to those of earlier runs.',
    example: true,
  }),
  load: optional(load, {
    about: 'What a run does to [rows of earlier runs](../sinks.md#tables).',
    example: 'merge',
    default: '`replace`; with `incrementalOutput` `merge`, or `append` without a primary key',
  }),
  runColumns: always(flag(false), {
    about: 'Adds the columns `_run_id`, `_page` and `_extracted_at`.',
    example: true,
  }),
  mappings: optional(mappings, {
    about: 'Mappings, by `dataType`.',
    example: { ship: { id: 'id', name: 'ship_name' } },
  }),
  primaryKeys: optional(primaryKeys, {
    about: 'Keys of tables without a mapping, by `dataType`.',
    example: { ship: ['id'] },
  }),
  userData: optional(objectOrScalar, {
    about: 'Columns of jobs without `userData`.',
    example: { source: 'eu' },
  }),
  http: always(
    record('ConfigHttp', {
      headers: always(headersWith(requiredHeaders), {
        about: 'Headers of every request. They win over `api.http.headers`.',
        example: { 'X-Account': 'eu' },
      }),
    }),
    {
      about: '[Headers](requests.md#headers) of this configuration.',
      example: { headers: { 'X-Account': { attr: 'account' } } },
    },
  ),
  debug: always(flag(false), { about: 'Logs more.', example: true }),
  compatLevel: withDefault(compatLevel, 3, {
    about: 'The [version of the language](configuration.md#compatlevel).',
    example: 3,
  }),
  requestLimit: withDefault(requestLimit, REQUEST_LIMIT, {
    about: 'The most pages of a call; more are an error.',
    example: 1000,
  }),
  concurrency: withDefault(concurrency, 1, {
    about: 'How many jobs run at once; [`"auto"`](concurrency.md#as-many-as-the-api-takes) finds the number.',
    example: 4,
  }),
  prefetch: always(zeroCounts(prefetch, 1), {
    about: 'How many pages may wait.',
    example: 4,
  }),
  ordered: always(flag(true), {
    about: 'Pages keep the order of the jobs.',
    example: false,
  }),
  completeness: optional(completeness, {
    about: 'What to do about an incomplete job.',
    example: 'error',
    default: '`error`',
  }),
  sinks: always(list(map('WrittenDestination', destination([...parts.sink.values()]), ({ written }) => written)), {
    about: '[Destinations](../sinks.md), if the command names none.',
    example: ['duckdb:ships.duckdb', { to: 'parquet:out', nested: 'json' }],
  }),
  maxColumns: withDefault(maxColumns, MAX_COLUMNS, {
    about: 'The most columns of a table.',
    example: 5000,
  }),
});
