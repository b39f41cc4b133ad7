import * as t from 'io-ts';
import { isBlank } from '../../core/json/scalars';
import { entriesOf, isList } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import { completeness } from './jobs/completeness';
import { map, noting, refine, refuse, type Codec, type Input } from '../codec/codec';
import type { Settings } from './configuration';
import { expressions } from '../values/expressions';
import { sameHeader } from './request';
import { destination } from './destination';
import { concurrency, prefetch } from '../codec/values';
import { requestLimit, type ScrollerNames } from './jobs/fields';
import { jobs, type JobDraft } from './jobs/jobs';
import { load, primaryKeys } from './jobs/table';
import type { Homes } from '../values/reserved-names';
import { mappings } from './mappings';
import type { Parts } from '../parts/parts';
import { flag, integerFrom, list, object, objectOrScalar, text, valueOf, zeroCounts } from '../codec/primitives';
import { always, optional, record, required, withDefault } from '../codec/record';
import { reservedMisspelled } from '../values/reserved-names';

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
      about: 'The jobs: what is requested, in this order.',
      example: [{ endpoint: 'ships' }],
    }),
    emptyList: true,
  },
  outputBucket: optional(text, { about: 'The bucket that the tables belong to.', example: 'ships' }),
  id: optional(text, {
    about: 'An id of the configuration; without `outputBucket` it names the bucket.',
    example: 'ships-eu',
  }),
  incrementalOutput: always(flag(false), {
    about: 'Whether rows are added to those of earlier runs. Else they take their place.',
    example: true,
  }),
  load: optional(load, {
    about:
      'What runs do to the rows that tables have: `replace` takes their place, `append` adds rows, `merge` takes the place of rows ' +
      'with the same primary key and adds the others.',
    example: 'merge',
    default: '`replace`; with `incrementalOutput` `merge` where a table has a primary key, else `append`',
  }),
  runColumns: always(flag(false), {
    about:
      'Whether rows of tables tell which run and which page brought them, in the columns `_run_id`, `_page` and `_extracted_at`.',
    example: true,
  }),
  mappings: optional(mappings, {
    about: 'How items become rows, by their `dataType`.',
    example: { ship: { id: 'id', name: 'ship_name' } },
  }),
  primaryKeys: optional(primaryKeys, {
    about: 'The columns of the keys of tables without mapping, by their `dataType`.',
    example: { ship: ['id'] },
  }),
  userData: optional(objectOrScalar, {
    about: 'Columns that are added to every row of jobs that have no `userData` of their own.',
    example: { source: 'eu' },
  }),
  http: always(
    record('ConfigHttp', {
      headers: always(headersWith(requiredHeaders), {
        about: 'Headers of every request of a job. They win over those of `api.http.headers`.',
        example: { 'X-Account': 'eu' },
      }),
    }),
    { about: 'Headers of this configuration.', example: { headers: { 'X-Account': { attr: 'account' } } } },
  ),
  debug: always(flag(false), { about: 'Whether the log tells more.', example: true }),
  compatLevel: withDefault(compatLevel, 3, {
    about: 'Which version of the language applies: 3 is the present one.',
    example: 3,
  }),
  requestLimit: withDefault(requestLimit, REQUEST_LIMIT, {
    about: 'How many pages a run of one job may have; then it fails.',
    example: 1000,
    unit: 'pages',
  }),
  concurrency: withDefault(concurrency, 1, {
    about: 'How many jobs run at once; `"auto"`: as many as [the API takes](concurrency.md#as-many-as-the-api-takes).',
    example: 4,
    unit: 'jobs',
  }),
  prefetch: always(zeroCounts(prefetch, 1), {
    about: 'How many pages may wait for the consumer when another one is requested.',
    example: 4,
    unit: 'pages',
  }),
  ordered: always(flag(true), {
    about: 'Whether pages come in the order of the jobs, however many run at once.',
    example: false,
  }),
  completeness: optional(completeness, {
    about: 'What to do when a job turns out to be incomplete: fail, warn, or not look.',
    example: 'error',
    default: 'as whoever runs it says; else `error`',
  }),
  sinks: always(list(map('WrittenDestination', destination([...parts.sink.values()]), ({ written }) => written)), {
    about:
      'The destinations, where the command line names none: addresses, or objects with the address in `to` and settings beside it.',
    example: ['duckdb:ships.duckdb', { to: 'parquet:out', nested: 'json' }],
  }),
  maxColumns: withDefault(maxColumns, MAX_COLUMNS, {
    about: 'How many columns a table of a destination may have.',
    example: 5000,
    unit: 'columns',
  }),
});
