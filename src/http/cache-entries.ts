/** Responses as files (language 1.8): readable for their owner only, whole or not there at all. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../json/keys';
import type { Headers, HttpMethod, Json, JsonObject, Request, Response } from '../model';
import { parseUrl } from '../url/parse-url';

/** A response that was kept, with the method and URL of the request that it answered: after redirects, the last one. */
export interface CacheEntry extends Omit<Response, 'request'> {
  readonly method: HttpMethod;
  readonly url: string;
}

const FORMAT = 1;
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies readonly HttpMethod[];

/** The same for equal requests of the same scope; tells nothing about them. */
export function cacheKey({ method, url, headers, body }: Request, scope: string): string {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, scope, method, url, sorted, body ?? null]))
    .digest('hex');
}

const pathOf = (folder: string, key: string): string => join(folder, `${key}.json`);

/** Keeps a response. Headers that would log somebody in are left out. */
export async function writeEntry(folder: string, key: string, response: Response): Promise<void> {
  const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => name !== 'set-cookie'));
  const text = JSON.stringify({
    storedAt: Date.now(),
    method: response.request.method,
    url: response.request.url,
    status: response.status,
    headers,
    body: Buffer.from(response.body).toString('base64'),
  });
  const draft = join(folder, `${key}.${randomUUID()}.tmp`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, pathOf(folder, key));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The response under this key; `undefined` when there is none, it is older than the lifetime, or it cannot be read. */
export async function readEntry(folder: string, key: string, ttlSeconds: number): Promise<CacheEntry | undefined> {
  try {
    const parsed = JSON.parse(await readFile(pathOf(folder, key), 'utf8')) as Json;
    return isObject(parsed) && isFresh(parsed, ttlSeconds) ? entryFrom(parsed) : undefined;
  } catch {
    return undefined;
  }
}

function isFresh({ storedAt }: JsonObject, ttlSeconds: number): boolean {
  if (typeof storedAt !== 'number') return false;
  const age = Date.now() - storedAt;
  return age >= 0 && age < ttlSeconds * 1000;
}

function entryFrom({ method, url, status, headers, body }: JsonObject): CacheEntry | undefined {
  if (!isMethod(method) || typeof url !== 'string' || parseUrl(url) === undefined) return undefined;
  if (typeof status !== 'number' || typeof body !== 'string' || !isHeaders(headers)) return undefined;
  return { method, url, status, headers, body: Buffer.from(body, 'base64') };
}

const isMethod = (value: Json | undefined): value is HttpMethod => typeof value === 'string' && METHODS.includes(value);

const isHeaders = (value: Json | undefined): value is JsonObject & Headers =>
  isObject(value) && Object.values(value).every((lines) => [lines].flat().every((line) => typeof line === 'string'));
