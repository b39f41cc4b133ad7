import { quoted } from '../quoted';

/**
 * A command that looks at a table of a destination; absent: there is none for it.
 *
 * @param sink the name of the destination, which has no credentials
 * @example lookAt('duckdb:rivers.duckdb', 'levels') // `headwater query rivers.duckdb 'select * from "levels" limit 10'`
 */
export function lookAt(sink: string, table: string): string | undefined {
  const [kind = '', ...rest] = sink.split(':');
  const place = rest.join(':');
  const select = (name: string): string => quoted(`select * from ${identifier(name)} limit 10`);
  if (kind === 'postgres' || kind === 'postgresql')
    return `psql ${quoted(withoutOwn(sink))} -c ${select(inSchema(sink, table))}`;
  if (kind === 'nats' || kind === 'tls') return lookAtStream(sink, table);
  if (place.startsWith('s3://')) return lookInBucket(place, table);
  if (place === '' || place === '-' || place.includes('://')) return undefined;
  if (kind === 'sqlite') return `sqlite3 ${quoted(place)} ${select(table)}`;
  if (kind === 'duckdb') return `headwater query ${quoted(place)} ${select(table)}`;
  if (kind === 'csv' || kind === 'parquet' || kind === 'ndjson')
    return `headwater query ${quoted(place)} ${select(table.replace(FILE_SUFFIX, ''))}`;
  return undefined;
}

/** The last messages of a subject, by the command line of NATS. */
function lookAtStream(sink: string, subject: string): string | undefined {
  const [, server, stream] = /^(.*:\/\/[^/]+)\/([^/?]+)/.exec(sink) ?? [];
  if (server === undefined || stream === undefined) return undefined;
  return `nats --server ${quoted(server)} stream view ${quoted(stream)} --subject ${quoted(subject)}`;
}

/** The first lines of an object, by the command line of Amazon; of Parquet files, what they are. */
function lookInBucket(place: string, table: string): string {
  const object = quoted(`${place}/${table}`);
  if (!FILE_SUFFIX.test(table)) return `aws s3 ls --recursive ${object}`;
  return `aws s3 cp ${object} - |${table.endsWith('.gz') ? ' gunzip |' : ''} head -n 5`;
}

/** A file is called as its table, and what it is. */
const FILE_SUFFIX = /\.(csv|parquet|ndjson|jsonl)(\.(gz|zst))?$/;

const identifier = (name: string): string =>
  name
    .split('\0')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');

/** `psql` knows no parameters of ours. */
const withoutOwn = (name: string): string => name.split('?')[0] ?? name;

function inSchema(name: string, table: string): string {
  const schema = new URLSearchParams(name.split('?')[1] ?? '').get('schema');
  return schema === null ? table : `${schema}\0${table}`;
}
