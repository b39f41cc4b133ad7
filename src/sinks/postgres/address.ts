import { unescape } from 'node:querystring';
import { FatalError } from '../../core/errors/errors';
import { Secrets } from '../../core/secrets/secrets';
import { parseUrl } from '../../core/url/address';

/** The parts of a PostgreSQL URL. */
export interface PostgresAddress {
  /** The name of the destination for users, without credentials. */
  readonly name: string;
  /** The URL for the driver: with credentials, without the parameters of Headwater. */
  readonly connectionString: string;
  /** The schema of the tables. */
  readonly schema: string;
  readonly journalSchema: string;
  /** The parts of the URL that must not be printed: credentials, and paths of keys and certificates. */
  readonly secrets: Secrets;
  /** The files in parameters, by their paths. */
  readonly files: ReadonlyMap<string, string>;
  /** The name of the destination in the journal, since several may share a database. */
  readonly destination: string;
}

/** The parameters of the driver that name files. */
const FILES = ['sslcert', 'sslkey', 'sslrootcert'] as const;
const SECRET = [...FILES, 'password', 'sslpassword', 'passfile'] as const;
const OWN_PARAMETERS = ['schema', 'journal_schema', 'run'] as const;

/**
 * Reads the URL of a PostgreSQL destination. In addition to the parameters of the driver (such as `sslmode`) it may have `schema` (of the
 * tables, `public` by default), `journal_schema` (`_headwater`) and `run` (`default`), which distinguishes configurations that fill the
 * same schema.
 *
 * @throws FatalError DESTINATION
 * @example postgresAddress('postgres://me:secret@db.example.com/sales?schema=crm').name // 'postgres://db.example.com/sales?schema=crm'
 */
export function postgresAddress(text: string): PostgresAddress {
  const url = parsed(text);
  const [schema = 'public', journalSchema = '_headwater', run = 'default'] = OWN_PARAMETERS.map(
    (parameter) => url.searchParams.get(parameter) ?? undefined,
  );
  const given = (names: readonly string[]): [string, string][] =>
    names.flatMap((name) => url.searchParams.getAll(name).map((value): [string, string] => [value, name]));
  const own = new URLSearchParams(given(OWN_PARAMETERS).map(([value, name]): [string, string] => [name, value]));
  const secrets = new Secrets([text, url.href, url.password, unescape(url.password)]);
  secrets.add(...given(SECRET).map(([value]) => value));
  for (const parameter of OWN_PARAMETERS) url.searchParams.delete(parameter);
  const name = `postgres://${url.host}${url.pathname}${own.size === 0 ? '' : `?${own.toString()}`}`;
  for (const [parameter, value] of Object.entries({ schema, journal_schema: journalSchema }))
    if (!isSchemaName(value)) refuse(name, `its parameter ${parameter} is no name of a schema`);
  if (schema === journalSchema)
    refuse(name, 'schema and journal_schema are the same; tables need a schema of their own');
  return {
    name,
    connectionString: url.href,
    schema,
    journalSchema,
    secrets,
    files: new Map(given(FILES)),
    destination: JSON.stringify([schema, run.toWellFormed().replaceAll('\0', '')]),
  };
}

/** Returns whether a name is valid: PostgreSQL cuts names at 63 bytes, and reserves those that begin with `pg_`. */
const isSchemaName = (name: string): boolean =>
  name !== '' &&
  name.isWellFormed() &&
  !name.includes('\0') &&
  Buffer.byteLength(name) <= 63 &&
  !name.startsWith('pg_');

function parsed(text: string): URL {
  // The URL, and the error of the parser, which contains it, are not shown: it may contain a password.
  const url = parseUrl(text);
  if (url === undefined || mayShowPassword(url)) refuse('postgres://…', ENCODE);
  return url;
}

const ENCODE = 'it is no URL; special characters of a password are written as %xx';

/** If a password contains `/`, `?` or `#`, its beginning is read as the port, and the rest is after the host. */
const mayShowPassword = ({ pathname, search, hash }: URL): boolean =>
  `${pathname}${hash}`.includes('@') || (pathname === '' && search.includes('@'));

function refuse(name: string, why: string): never {
  throw new FatalError(
    'DESTINATION_ADDRESS',
    `The destination ${name} cannot be used: ${why}. It is written as postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=SCHEMA.`,
  );
}
