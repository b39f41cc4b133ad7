import { join } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { shortDigest } from '../files/checksum';

/** A folder of a bucket. */
export interface BucketAddress {
  /** The name of the destination for users, for example `ndjson:s3://lake/crm`. */
  readonly name: string;
  /** The format of its tables: each format has its own commit record. */
  readonly format: string;
  readonly bucket: string;
  /** The prefix of the keys of all objects: empty, or with a `/` at its end. */
  readonly prefix: string;
}

/** A place of files. */
export interface FilePlace {
  /** The folder on this machine; for a bucket, where its pages wait and its new files are made. */
  readonly folder: string;
  /** The bucket; absent if the files stay in that folder. */
  readonly bucket?: BucketAddress;
}

const SCHEME = 's3://';
const FORM = 's3://BUCKET/PREFIX';
/** Matches a valid name of a bucket on any server. */
const BUCKET = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,62}$/;

/**
 * Reads the part after the scheme of a format: a folder, or `s3://BUCKET/PREFIX`.
 *
 * @param journal the folder where pages for a bucket wait; default: `.headwater` in the current folder
 * @throws FatalError DESTINATION_ADDRESS for an invalid address of a bucket, for one with a key in it, which is not
 *   shown, and for a `journal` beside a folder
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
  // It may contain a key of an account, so nothing of it is shown.
  if (rest.includes('@'))
    throw refusal(`${format}:s3://…`, `an @ in it looks like a key of an account. ${CREDENTIALS}`);
  const [bucket = '', ...segments] = path.split('/');
  const name = `${format}:${SCHEME}${path}`.replace(/\/+$/, '');
  if (!rest.startsWith(SCHEME) || !BUCKET.test(bucket)) throw refusal(name, `it is written as ${format}:${FORM}`);
  if (segments.at(-1) === '') segments.pop();
  if (segments.some((segment) => ['', '.', '..', '.headwater'].includes(segment)))
    throw refusal(name, 'no part of its prefix may be empty, "." or "..", or ".headwater"');
  const prefix = segments.map((segment) => `${segment}/`).join('');
  const digest = shortDigest(`${name}\n${endpoint() ?? ''}`);
  return { folder: join(journal ?? '.headwater', `s3-${digest}`), bucket: { name, format, bucket, prefix } };
}

/** Returns the server, if it is not Amazon. */
export const endpoint = (): string | undefined => process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];

export const CREDENTIALS =
  'Keys come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or from a profile (AWS_PROFILE), never from the address';

const refusal = (name: string, why: string): FatalError =>
  new FatalError('DESTINATION_ADDRESS', `The destination ${name} cannot be used: ${why}.`);
