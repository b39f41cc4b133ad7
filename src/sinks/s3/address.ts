import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { FatalError } from '../../core/errors/errors';

/** A folder of a bucket, as an address names it. */
export interface BucketAddress {
  /** The name of the destination for people, for example `ndjson:s3://lake/crm`. */
  readonly name: string;
  /** What its tables are stored as: each format has a commit record of its own. */
  readonly format: string;
  readonly bucket: string;
  /** What the keys of all objects begin with: empty, or with a `/` at its end. */
  readonly prefix: string;
}

/** A place of files, as an address names it. */
export interface FilePlace {
  /** The folder on this machine; for a bucket, where its pages wait and its new files are made. */
  readonly folder: string;
  /** This is absent where the files stay in that folder. */
  readonly bucket?: BucketAddress;
}

const SCHEME = 's3://';
const FORM = 's3://BUCKET/PREFIX';
/** What a bucket may be called, on any server. */
const BUCKET = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,62}$/;

/**
 * Reads what follows the scheme of a format: a folder, or `s3://BUCKET/PREFIX`.
 *
 * @param journal the folder where pages for a bucket wait; default: `.headwater` in the current folder
 * @throws FatalError DESTINATION_ADDRESS for an address of a bucket that is none, and for one with a key in it, which is not
 *   shown; and for a `journal` beside a folder
 * @example filePlace('ndjson', 's3://lake/crm').bucket?.prefix // 'crm/'
 */
export function filePlace(format: string, rest: string, journal?: string): FilePlace {
  if (!/^s3:/i.test(rest)) {
    if (journal === undefined) return { folder: rest };
    throw refusal(
      `${format}:${rest}`,
      `the setting journal is of addresses like ${format}:${FORM}; a folder keeps its own`,
    );
  }
  const path = rest.slice(SCHEME.length);
  // A key of an account may stand there: nothing of it is shown.
  if (rest.includes('@'))
    throw refusal(`${format}:s3://…`, `an @ in it looks like a key of an account. ${CREDENTIALS}`);
  const [bucket = '', ...segments] = path.split('/');
  const name = `${format}:${SCHEME}${path}`.replace(/\/+$/, '');
  if (!rest.startsWith(SCHEME) || !BUCKET.test(bucket)) throw refusal(name, `it is written as ${format}:${FORM}`);
  if (segments.at(-1) === '') segments.pop();
  if (segments.some((segment) => ['', '.', '..', '.headwater'].includes(segment)))
    throw refusal(name, 'no part of its prefix may be empty, "." or "..", or ".headwater"');
  const prefix = segments.map((segment) => `${segment}/`).join('');
  const digest = createHash('sha256')
    .update(`${name}\n${endpoint() ?? ''}`)
    .digest('hex')
    .slice(0, 16);
  return { folder: join(journal ?? '.headwater', `s3-${digest}`), bucket: { name, format, bucket, prefix } };
}

/** The server, where it is not that of Amazon. */
export const endpoint = (): string | undefined => process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];

export const CREDENTIALS =
  'Keys come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or from a profile (AWS_PROFILE), never from the address';

const refusal = (name: string, why: string): FatalError =>
  new FatalError('DESTINATION_ADDRESS', `The destination ${name} cannot be used: ${why}.`);
