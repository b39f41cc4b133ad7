/** Requests to a bucket, by Amazon's own client. */
import type { S3Client } from '@aws-sdk/client-s3';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FatalError } from '../../core/errors/errors';
import { optionalPackage } from '../../core/optional-package';
import { Secrets } from '../../core/secrets/secrets';
import { codeOf, fileFailure } from '../files/durable-files';
import { forEach } from '../journal/journal';
import type { Condition } from '../journal/object-journal';
import { CREDENTIALS, endpoint } from './address';
import type { BucketAddress } from './address';

/** The maximum bytes that one request may copy, on every server. */
const COPIED_AT_ONCE = 5 * 1024 ** 3;
/** The bytes of a part of a copy: 10,000 of them are allowed. */
const PART = 1024 ** 3;
/** Milliseconds without a byte after which a request is retried. */
const SILENCE = 60_000;
/**
 * Opens a bucket. Keys, region and server come from the usual places of S3 programs: environment and profiles. Transient failures are
 * retried.
 *
 * @param address.prefix is put before all keys of its methods
 * @returns methods that throw the errors of the client
 */
export function openBucket({ name, bucket: Bucket, prefix }: BucketAddress, limits = { COPIED_AT_ONCE, PART }) {
  // It takes some 100 ms to load.
  const sdk = optionalPackage(name, '@aws-sdk/client-s3');
  const uploads = optionalPackage(name, '@aws-sdk/lib-storage');
  const server = endpoint();
  const region = process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? (server && 'us-east-1');
  const client: S3Client = new sdk.S3Client({
    ...(region === undefined ? {} : { region }),
    // Other servers seldom have a host name for each bucket, and not all support the newer checksums.
    forcePathStyle: server !== undefined,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 10_000, socketTimeout: SILENCE },
  });
  const at = (key: string) => ({ Bucket, Key: `${prefix}${key}` });
  const sourceOf = (key: string): string => `${Bucket}/${prefix}${key}`.split('/').map(encodeURIComponent).join('/');

  const copyParts = async (from: string, to: string, size: number): Promise<void> => {
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(at(to)));
    const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
    for (let start = 0; start < size; start += limits.PART) {
      const PartNumber = Parts.length + 1;
      const CopySourceRange = `bytes=${start}-${Math.min(start + limits.PART, size) - 1}`;
      const part = { ...at(to), UploadId, PartNumber, CopySource: sourceOf(from), CopySourceRange };
      const { CopyPartResult } = await client.send(new sdk.UploadPartCopyCommand(part));
      Parts.push({ ETag: CopyPartResult?.ETag, PartNumber });
    }
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...at(to), UploadId, MultipartUpload: { Parts } }));
  };

  /** Returns the keys that begin with a prefix; if `isDeep`, those in folders below as well. */
  const list = async (start: string, isDeep: boolean): Promise<string[]> => {
    const input = { Bucket, Prefix: `${prefix}${start}`, ...(isDeep ? {} : { Delimiter: '/' }) };
    const keys: string[] = [];
    for await (const { Contents = [] } of sdk.paginateListObjectsV2({ client }, input))
      for (const { Key = '' } of Contents) keys.push(Key.slice(prefix.length));
    return keys;
  };
  const remove = async (key: string): Promise<void> => {
    await client.send(new sdk.DeleteObjectCommand(at(key)));
  };

  return {
    /** The keys that the client has found must not be printed either. */
    secrets: async () => {
      const secrets = keysOfEnvironment();
      const keys = await client.config.credentials();
      secrets.add(keys.accessKeyId, keys.secretAccessKey, keys.sessionToken ?? '');
      return secrets;
    },

    /** Reads a small object; `undefined`: there is none. */
    text: async (key: string) => {
      try {
        const { Body, ETag = '' } = await client.send(new sdk.GetObjectCommand(at(key)));
        return { text: (await Body?.transformToString()) ?? '', version: ETag };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },

    /** Stores a small object under a condition; returns whether it was met. */
    put: async (key: string, text: string, condition?: Condition): Promise<boolean> => {
      const where = condition === 'absent' ? { IfNoneMatch: '*' } : condition && { IfMatch: condition.version };
      try {
        await client.send(new sdk.PutObjectCommand({ ...at(key), Body: text, ...where }));
        return true;
      } catch (error) {
        if (condition !== undefined && isConflict(error)) return false;
        // The version no longer exists.
        if (typeof condition === 'object' && isMissing(error)) return false;
        throw error;
      }
    },

    /** Stores a file, in parts if it is large. */
    upload: async (path: string, key: string): Promise<void> => {
      const { size } = await stat(path);
      const partSize = Math.max(8 * 1024 ** 2, Math.ceil(size / 9_000));
      const params = { ...at(key), Body: createReadStream(path) };
      await new uploads.Upload({ client, params, partSize, queueSize: 2 }).done();
    },

    download: async (key: string, path: string): Promise<void> => {
      const { Body, ContentLength } = await client.send(new sdk.GetObjectCommand(at(key)));
      if (!(Body instanceof Readable)) throw new Error(`The object ${key} has no body.`);
      await pipeline(Body, createWriteStream(path));
      const { size } = await stat(path);
      if (ContentLength !== size)
        throw new Error(`Of the object ${key}, ${size} bytes of ${String(ContentLength)} came.`);
    },

    /** Copies an object within the server; `false`: it does not exist. */
    copy: async (from: string, to: string): Promise<boolean> => {
      try {
        const { ContentLength = 0 } = await client.send(new sdk.HeadObjectCommand(at(from)));
        if (ContentLength > limits.COPIED_AT_ONCE) await copyParts(from, to, ContentLength);
        else await client.send(new sdk.CopyObjectCommand({ ...at(to), CopySource: sourceOf(from) }));
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },

    list,

    remove,

    /** Removes all objects whose keys begin with a prefix. */
    removeAll: async (start: string): Promise<void> => forEach(await list(start, true), remove),

    close: (): void => client.destroy(),
  };
}

/** An open bucket. */
export type OpenBucket = ReturnType<typeof openBucket>;

/** An error of the client, by its shape, since its classes are loaded with it. */
interface ClientError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Returns the HTTP status of a refusal; `undefined`: there was no response. */
const statusOf = (error: unknown): number | undefined => (error as Partial<ClientError>).$metadata?.httpStatusCode;

/** Returns whether the object does not exist. It checks the name: some servers use the same status for an unknown account key. */
const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && ['NoSuchKey', 'NotFound'].includes((error as ClientError).name);

/** Returns whether a condition of a request was not met. */
const isConflict = (error: unknown): boolean => [409, 412].includes(statusOf(error) ?? 0);

/** System errors of a connection. */
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_|ENOTFOUND|EPROTO)/;

/** The failed work: before a run, when its pages are already kept on this machine, or while a part of it is made. */
export type Work = 'open' | 'commit' | 'part';

/** The advice for each fault, by its name in the server or the client. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^NoSuchBucket$/, 'Make the bucket, or correct the address'],
  [
    /^(InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|CredentialsProviderError|TokenRefreshRequired|XAdminUserNotFound)/,
    `Set keys that the server knows. ${CREDENTIALS}`,
  ],
  [
    /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|301)$/,
    'The bucket is in another region: set AWS_REGION, or the server in AWS_ENDPOINT_URL_S3',
  ],
  [/^RequestTimeTooSkewed$/, 'Set the clock of this machine'],
  [
    /^(AccessDenied|Forbidden|AllAccessDisabled|403)$/,
    'Its keys need s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on its objects',
  ],
];

/**
 * Returns the error for users: what failed, and what to do. The error of the client is not its cause, since it contains requests and their
 * headers.
 *
 * @example throw bucketFailure(address, 'open', error, new Secrets([key]))
 */
export function bucketFailure(
  { name, bucket }: BucketAddress,
  work: Work,
  error: unknown,
  secrets: Secrets = keysOfEnvironment(),
): unknown {
  if (error instanceof FatalError || !isOfClient(error)) return error;
  // A downloaded file could not be written, or a local file could not be read.
  const ofSystem = codeOf(error);
  if (ofSystem !== undefined && !NETWORK.test(ofSystem)) return fileFailure(`the working folder of ${name}`, error);
  const { name: fault, message, code } = error;
  const status = statusOf(error);
  const words = [...new Set([fault, code, message].filter((word) => word !== undefined && !/^(Error|)$/.test(word)))];
  const said = secrets.mask(`${words.join(': ')}${status === undefined ? '' : `; status ${status}`}`);
  const server = endpoint() ?? 'the server of Amazon';
  const isUnreached = status === undefined && !/Credentials|Region/.test(`${fault}${message}`);
  const remedy = isUnreached
    ? 'See whether the network and the server are up, and AWS_ENDPOINT_URL_S3 is right'
    : (REMEDIES.find(([known]) => known.test(fault) || known.test(String(status)))?.[1] ??
      (/Region is missing/.test(message) ? 'Set AWS_REGION' : 'Put that right'));
  const shown = secrets.mask(`The destination ${name} (bucket ${JSON.stringify(bucket)} of ${server})`);
  if (work === 'open')
    return new FatalError('DESTINATION_ADDRESS', `${shown} cannot be used (${said}). ${remedy}, and run again.`);
  const advice =
    work === 'part'
      ? `${remedy}.`
      : `No row is lost: the pages of this run are kept on this machine. ${remedy}, then go on with --resume.`;
  return new FatalError('SINK_FAILED', `${shown} took no more (${said}). ${advice}`);
}

const isOfClient = (error: unknown): error is ClientError =>
  error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);

/** Returns the keys that must not be printed, wherever they appear. */
const keysOfEnvironment = (): Secrets =>
  new Secrets(
    ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].flatMap((name) => process.env[name] ?? []),
  );
