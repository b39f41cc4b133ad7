/** The S3 server of scripts/services.sh, and what a reader finds in it. */
import { mkdir } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { closedInTheEnd } from './opened';

/** URL of the server that scripts/services.sh starts. */
export const s3Url = process.env['HEADWATER_TEST_S3'];
/** Why specs are skipped. */
export const NEEDS_S3 = s3Url === undefined ? ' (skipped: HEADWATER_TEST_S3 is not set)' : '';
export const describeWithS3 = s3Url === undefined ? describe.skip : describe;

export const BUCKET = 'headwater';
/** What programs find the server by; the keys are those of scripts/services.sh. */
export const S3_ENVIRONMENT = {
  AWS_ENDPOINT_URL_S3: s3Url ?? 'http://127.0.0.1:9',
  AWS_ACCESS_KEY_ID: 'headwater',
  AWS_SECRET_ACCESS_KEY: 'headwater-secret',
  AWS_REGION: 'us-east-1',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** Tells this process and its children where the server is. */
export function useS3(): void {
  Object.assign(process.env, S3_ENVIRONMENT);
}

let shared: S3Client | undefined;
const client = (): S3Client => {
  if (shared !== undefined) return shared;
  const made = new S3Client({
    endpoint: S3_ENVIRONMENT.AWS_ENDPOINT_URL_S3,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'headwater', secretAccessKey: 'headwater-secret' },
  });
  closedInTheEnd(() => made.destroy());
  return (shared = made);
};

/** The keys below a prefix, without it. */
export async function keysIn(prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client: client() },
    { Bucket: BUCKET, Prefix: `${prefix}/` },
  ))
    for (const { Key = '' } of Contents) keys.push(Key.slice(prefix.length + 1));
  return keys;
}

/** The keys of tables, as readers see them. */
export const tablesIn = async (prefix: string): Promise<readonly string[]> =>
  (await keysIn(prefix)).filter((key) => !key.startsWith('.headwater/')).sort();

export async function bytesOf(prefix: string, key: string): Promise<Buffer> {
  const { Body } = await client().send(new GetObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${key}` }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

export const textOf = async (prefix: string, key: string): Promise<string> => (await bytesOf(prefix, key)).toString();

export const putText = (prefix: string, key: string, Body: string) =>
  client().send(new PutObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${key}`, Body }));

export const removeKey = (prefix: string, key: string) =>
  client().send(new DeleteObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${key}` }));

/** Downloads all tables into a folder, as an analyst does. */
export async function download(prefix: string, folder: string): Promise<readonly string[]> {
  const keys = await tablesIn(prefix);
  await mkdir(folder, { recursive: true });
  for (const key of keys) {
    const { Body } = await client().send(new GetObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${key}` }));
    await mkdir(dirname(join(folder, key)), { recursive: true });
    await pipeline(Body as Readable, createWriteStream(join(folder, key)));
  }
  return keys;
}
