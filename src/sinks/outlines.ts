/** The manual entries of the built-in sinks, with their settings; `registry.ts` has their code. */
import { accept, codec, expected } from '../language/codec/codec';
import type { Codec } from '../language/codec/codec';
import { oneOf, oneOrList, string, text } from '../language/codec/primitives';
import { optional } from '../language/codec/record';
import type { SinkOutline } from '../language/parts/sink';

/** A boolean, or its word, since parameters of addresses are strings. */
const yesOrNo: Codec<boolean> = codec('YesOrNo', { type: 'boolean' }, (input, context) => {
  if (input === true || input === 'true') return accept(true);
  if (input === false || input === 'false') return accept(false);
  return expected('true or false', input, context);
});

const tablesOrJson = oneOf('Nesting', ['tables', 'json']);

const withoutStruct = codec<'tables' | 'json'>('Nesting', tablesOrJson.schema(), (input, context) =>
  input === 'struct'
    ? expected('tables or json', input, context, ': only duckdb: and parquet: have columns of STRUCT and LIST')
    : tablesOrJson.validate(input, context),
);

const nested = optional(withoutStruct, {
  about:
    'Objects and lists in items, unless the job says it: columns and linked tables (`tables`), or a column of JSON each (`json`). Default: `tables`.',
  example: 'json',
});

const visibility = optional(oneOf('Visibility', ['run', 'page']), {
  about:
    'When readers see rows: all at the commit (`run`), or, if rows are added (`load` is `append`), with their page (`page`). Default: `run`.',
  example: 'page',
});

/** The setting `nested` for lines of JSON. */
const nestedInLines = optional(withoutStruct, {
  about:
    'Objects and lists in files of a folder, unless the job says it: linked tables (`tables`), or lines as the items came (`json`). Default: `json`.',
  example: 'tables',
});

/** The setting `nested` for destinations with STRUCT and LIST columns. */
const nestedOrStruct = optional(oneOf('Nesting', ['tables', 'json', 'struct']), {
  about:
    'Objects and lists in items, unless the job says it: columns and linked tables (`tables`), or a column of JSON (`json`), STRUCT or LIST (`struct`) each. Default: `tables`.',
  example: 'struct',
});

const compress = optional(oneOf('Compression', ['gzip']), {
  about: 'The compression of files in a folder; `gzip` makes `items.csv.gz`. Default: none.',
  example: 'gzip',
});

const journal = optional(text, {
  about:
    'For a bucket: the local folder where pages wait until the commit. Default: `.headwater` in the current folder.',
  example: '/var/lib/headwater',
});

const outline = <const O extends Omit<SinkOutline, 'kind'>>(about: O): O & { readonly kind: 'sink' } => ({
  kind: 'sink',
  ...about,
});

export const csv = outline({
  name: 'csv',
  summary: 'Linked tables as CSV files in a folder.',
  use: 'Use it for mappings, spreadsheets and loaders of CSV.',
  schemes: ['csv'],
  address: ['csv:FOLDER', 'csv:s3://BUCKET/PREFIX'],
  example: 'csv:out',
  rules: [
    'Files are UTF-8. Every field is quoted, and the first line has the names of the columns.',
    'A commit replaces whole files: a reader never sees half a table in one file.',
    'With `incrementalOutput`, rows are added; with a primary key, a row replaces older ones with the same key.',
    'Pages wait in `FOLDER/.headwater` until the commit.',
    'In a bucket, a commit replaces one object at a time. Install @aws-sdk/client-s3 and @aws-sdk/lib-storage.',
  ],
  makes: 'linked-tables',
  options: {
    compress,
    uniqueIds: optional(yesOrNo, {
      about:
        'Whether ids of rows contain the place in their list, and the run: no two are equal, and each element joins one row. Default: `false`, equal rows have equal ids.',
      example: true,
    }),
    journal,
  },
});

export const duckdb = outline({
  name: 'duckdb',
  summary: 'Tables in a DuckDB file.',
  use: 'Use it for SQL on one machine, without a server.',
  schemes: ['duckdb'],
  address: ['duckdb:FILE'],
  example: 'duckdb:headwater.duckdb',
  rules: [
    'A commit is one transaction with all rows and a receipt in the schema `_headwater`.',
    'Each column gets the narrowest type for all of its values; later runs widen types and add columns.',
    'Pages wait in the folder `FILE.headwater` until the commit. Meanwhile others may read the database.',
    'Install @duckdb/node-api.',
  ],
  makes: 'tables',
  options: { nested: nestedOrStruct },
});

export const nats = outline({
  name: 'nats',
  summary: 'Messages in a NATS JetStream stream, one per item or page.',
  use: 'Use it if services react to items.',
  schemes: ['nats', 'tls'],
  address: ['nats://…'],
  example: 'nats://localhost:4222/RIVERS?subject=rivers',
  rules: [
    'The subject is the prefix and the dataType. The body is what the API wrote.',
    'Messages are in the stream as soon as their page is written, each once; those of a cluster at the commit.',
    'Install @nats-io/transport-node and @nats-io/jetstream.',
  ],
  makes: 'messages',
  options: {
    workFolder: optional(string, {
      about: 'The local folder of the progress. Default: one in `.headwater` of the current folder.',
      example: 'progress/rivers',
    }),
  },
});

export const ndjson = outline({
  name: 'ndjson',
  summary: 'Items as lines of JSON, on standard output or in a folder.',
  use: 'Use it for pipes, for programs that read JSON, and to keep each digit as the API wrote it.',
  schemes: ['ndjson'],
  address: ['ndjson:-', 'ndjson:FOLDER', 'ndjson:s3://BUCKET/PREFIX'],
  example: 'ndjson:out',
  rules: [
    'On standard output, lines come with their pages, and a run cannot be resumed.',
    'In a folder, a commit replaces whole files. If tables of several buckets meet, a file is named `BUCKET.TABLE.ndjson`.',
    'With `nested: tables`, lines have no objects and lists; the lists at each place get a file.',
    'With `incrementalOutput`, lines are added; with a primary key, a line replaces older ones with the same key.',
    'In a bucket, a commit replaces one object at a time. Install @aws-sdk/client-s3 and @aws-sdk/lib-storage.',
  ],
  makes: 'tables',
  options: {
    nested: nestedInLines,
    compress,
    tag: optional(yesOrNo, {
      about: 'Whether each line on standard output is `{"dataType":…,"item":…}`. Default: `false`.',
      example: true,
    }),
    tagExtra: optional(yesOrNo, {
      about:
        'As `tag`, with `"extra":{…}`: the columns that tables add to items, such as `parent_id`. Default: `false`.',
      example: true,
    }),
    journal,
  },
});

export const parquet = outline({
  name: 'parquet',
  summary: 'Parquet files in a folder, compressed with zstd.',
  use: 'Use it for analysis and data lakes.',
  schemes: ['parquet'],
  address: ['parquet:FOLDER', 'parquet:s3://BUCKET/PREFIX'],
  example: 'parquet:out',
  rules: [
    'Each column gets the narrowest type for all of its values.',
    'A commit replaces whole files. An incremental run makes files of the old rows and its own; with `partitionBy`, only those of the values that it touches.',
    'Install @duckdb/node-api.',
    'In a bucket, a commit replaces one object at a time. Install @aws-sdk/client-s3 and @aws-sdk/lib-storage.',
  ],
  makes: 'tables',
  options: {
    nested: nestedOrStruct,
    partitionBy: optional(oneOrList(text), {
      about:
        'The columns whose values become folders, as in Hive: `orders/country=CH/data_0.parquet`. Tables of lists stay one file each.',
      example: 'country',
    }),
    journal,
  },
});

export const postgres = outline({
  name: 'postgres',
  summary: 'Tables in a PostgreSQL database.',
  use: 'Use it if several programs or people read the tables, also during a run.',
  schemes: ['postgres', 'postgresql'],
  address: ['postgres://…'],
  example: 'postgres://me@localhost/sales?schema=crm',
  rules: [
    'All tables change in one transaction.',
    'Pages wait in a schema of the same database until the commit.',
    'With `visibility: page`, added rows are shown [before the commit](../../sinks.md#rows-before-the-commit), each once, with `_load_id` in a column.',
    'Headwater waits up to a minute for a server that is away, and writes nothing twice.',
    'Install pg and pg-copy-streams.',
  ],
  makes: 'tables',
  options: { nested, visibility },
});

export const sqlite = outline({
  name: 'sqlite',
  summary: 'Tables in an SQLite file.',
  use: 'Use it for applications that read one file, and where DuckDB cannot be installed.',
  schemes: ['sqlite'],
  address: ['sqlite:FILE'],
  example: 'sqlite:headwater.sqlite',
  rules: [
    'A commit is one transaction with all rows and a receipt in the table `_headwater`.',
    'Tables are STRICT: INTEGER, REAL and TEXT. Booleans are 0 and 1. Decimals (all digits), dates and times (as the API wrote them) and JSON are TEXT. `_headwater` says which columns hold these.',
    'Later runs widen types and add columns.',
    'Pages wait in the folder `FILE.headwater` until the commit. Meanwhile others may read and write the database.',
    'Node.js has SQLite from 22.13 on; for older versions install better-sqlite3.',
  ],
  makes: 'tables',
  options: { nested },
});
