/** What goes wrong with a bucket, for people. */
import { FatalError } from '../../core/errors/errors';
import { Secrets } from '../../core/secrets/secrets';
import { codeOf, fileFailure } from '../files/durable-files';
import type { BucketAddress } from './address';
import { CREDENTIALS, endpoint } from './address';

/** What the client throws; by its shape, since its classes are loaded with it. */
interface ClientError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The HTTP status of a refusal; `undefined`: there was no response. */
const statusOf = (error: unknown): number | undefined => (error as Partial<ClientError>).$metadata?.httpStatusCode;

/** Whether there is no such object. By its name: some servers say of a key of an account, too, that it is not found. */
export const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && ['NoSuchKey', 'NotFound'].includes((error as ClientError).name);

/** Whether a condition of a request did not hold. */
export const isConflict = (error: unknown): boolean => [409, 412].includes(statusOf(error) ?? 0);

/** Errors of the system that are those of a connection. */
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_|ENOTFOUND|EPROTO)/;

/** The work that fails: before a run, or when its pages are kept already. */
export type Work = 'open' | 'commit';

/** What to do, by what the server or the client calls the fault. */
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
 * The error for people: what, and what to do. The error of the client is no cause of it, since it has requests and their headers.
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
  // What was fetched could not be written here, or what is here could not be read.
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
  const kept = 'No row is lost: the pages of this run are kept on this machine';
  return new FatalError(
    'SINK_FAILED',
    `${shown} took no more (${said}). ${kept}. ${remedy}, then go on with --resume.`,
  );
}

const isOfClient = (error: unknown): error is ClientError =>
  error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);

/** The keys that must not be printed, wherever they appear. */
export const keysOfEnvironment = (): Secrets =>
  new Secrets(
    ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].flatMap((name) => process.env[name] ?? []),
  );
