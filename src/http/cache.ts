/** The cache of responses, and its entries as files (docs/language/configuration.md#cache). */
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requestFields } from '../core/events';
import type { Report } from '../core/events';
import { entriesOf, isObject, objectFrom } from '../core/json/objects';
import { makeFolders } from '../core/make-folders';
import type { Headers, HttpMethod, Json, JsonObject, Request, Response } from '../core/model';
import { isSealed } from '../core/sealed';
import type { Seal } from '../core/sealed';
import type { Secrets } from '../core/secrets/secrets';
import { parseUrl } from '../core/url/address';
import { throwIfAborted } from './dispatch';
import type { Dispatch } from './dispatch';
import type { RuleOf } from './rules';
import { unusableStatus } from './status-error';

/** The place and lifetime of cached responses (docs/language/configuration.md#cache). */
export interface CachePolicy {
  readonly folder: string;
  readonly ttlSeconds: number;
  /** The scope: only requests of the same scope share responses. */
  readonly scope: string;
  /** Encrypts the entries. */
  readonly seal?: Seal;
}

export interface CacheContext {
  /**
   * The statuses of success that are retried (docs/language/retries.md#what-is-retried): such a response is not cached.
   */
  readonly retried: readonly number[];
  /** The rules about responses: a response that matches one is not cached. Absent without rules. */
  readonly ruleOf?: RuleOf;
  readonly report: Report;
  readonly secrets: Secrets;
}

/**
 * Answers a request with the cached response to an equal one within the lifetime
 * (docs/language/configuration.md#cache). Requests are equal by method, URL, headers and body as they are
 * before authentication, because tokens and signatures change. Responses of the statuses 200 to 299 that hold data are
 * cached.
 *
 * The cache itself never causes a failure: an unreadable entry is requested again, and a failed write is reported once.
 *
 * @example cached({ folder: './cache', ttlSeconds: 604_800, scope: '' }, { retried: [], report, secrets })(dispatch)
 */
export function cached(
  policy: CachePolicy,
  { retried, ruleOf, report, secrets }: CacheContext,
): (dispatch: Dispatch) => Dispatch {
  const { folder, ttlSeconds, scope } = policy;
  let hasWarned = false;
  let hasMissed = false;

  function warn(error: unknown): void {
    if (hasWarned) return;
    hasWarned = true;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Responses cannot be kept in "${folder}": ${reason}. The run goes on without the cache.`;
    report({ type: 'warning', code: 'CACHE_UNUSABLE', message });
  }

  function warnOfMiss(): void {
    if (hasMissed) return;
    hasMissed = true;
    const message =
      `Responses in "${folder}" cannot be read: they were damaged, or encrypted with another key or with none. ` +
      'They are requested again.';
    report({ type: 'warning', code: 'CACHE_UNREADABLE', message });
  }

  function reportHit(request: Request, { status, body }: Response): void {
    report({ type: 'response.cached', ...requestFields(request, secrets), status, bytes: body.byteLength });
  }

  return (dispatch) => async (request, abortion) => {
    // A streamed response cannot be cached, and a poll has another response each time.
    if (request.streams === true || isAsked(request)) return dispatch(request, abortion);
    const key = cacheKey(request, scope);
    const found = await readEntry(policy, key, ttlSeconds);
    if (found.kind === 'unreadable') warnOfMiss();
    if (found.kind === 'entry') {
      const { method, url, ...rest } = found.entry;
      const response = { ...rest, request: { ...request, method, url }, isCached: true };
      // An entry from before the rule may not meet it.
      if (ruleOf?.(response) === undefined) {
        reportHit(request, response);
        return response;
      }
    }
    throwIfAborted(abortion);
    const response = await dispatch(request, abortion);
    if (isWorthKeeping(response, retried) && ruleOf?.(response) === undefined)
      await writeEntry(policy, key, response).catch(warn);
    return response;
  };
}

const isAsked = ({ purpose }: Request): boolean => purpose.kind === 'page' && purpose.step !== undefined;

const isWorthKeeping = (response: Response, retried: readonly number[]): boolean => {
  const { status } = response;
  return status >= 200 && status <= 299 && !retried.includes(status) && unusableStatus(response) === undefined;
};

/**
 * Stores responses as files (docs/language/configuration.md#cache): readable for their owner only, complete or absent.
 */

/** A cached response, with the method and URL of the request that it answered; after redirects, the last one. */
export interface CacheEntry extends Omit<Response, 'request'> {
  readonly method: HttpMethod;
  readonly url: string;
}

const FORMAT = 1;
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies readonly HttpMethod[];

/** Returns a key that is equal for equal requests of the same scope, and reveals nothing about them. */
function cacheKey({ method, url, headers, body }: Request, scope: string): string {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, scope, method, url, sorted, body ?? null]))
    .digest('hex');
}

const pathOf = (folder: string, key: string): string => join(folder, `${key}.json`);

/** The folder of the entries, and their encryption if there is one. */
export interface EntryPlace {
  readonly folder: string;
  readonly seal?: Seal;
}

/** Returns the purpose of an entry for the seal: it is valid under its own key only. */
const useOf = (key: string): string => `cache ${key}`;

/** Writes a response. Headers that would log a client in are omitted. */
async function writeEntry({ folder, seal }: EntryPlace, key: string, response: Response): Promise<void> {
  const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => name !== 'set-cookie'));
  const body = Buffer.from(response.body).toString('base64');
  const content = {
    storedAt: Date.now(),
    method: response.request.method,
    url: response.request.url,
    status: response.status,
    headers,
    body,
  };
  const text = JSON.stringify({ ...content, digest: digestOf(content) });
  const draft = join(folder, `${key}.${randomUUID()}.tmp`);
  await makeFolders(folder, 0o700);
  try {
    await writeFile(draft, seal === undefined ? text : seal.close(Buffer.from(text), useOf(key)), { mode: 0o600 });
    await rename(draft, pathOf(folder, key));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The entry under a key; `none` also for one that is older than the lifetime. */
export type FoundEntry =
  | { readonly kind: 'entry'; readonly entry: CacheEntry }
  | { readonly kind: 'none' }
  /** The entry is damaged, encrypted with another key, or not encrypted although it should be. */
  | { readonly kind: 'unreadable' };

const NONE: FoundEntry = { kind: 'none' };
const UNREADABLE: FoundEntry = { kind: 'unreadable' };

/** Returns the response under this key. */
async function readEntry({ folder, seal }: EntryPlace, key: string, ttlSeconds: number): Promise<FoundEntry> {
  const bytes = await readFile(pathOf(folder, key)).catch(() => undefined);
  if (bytes === undefined) return NONE;
  const text = textIn(bytes, key, seal);
  if (text === undefined) return UNREADABLE;
  try {
    const parsed = JSON.parse(text) as Json;
    if (!isObject(parsed)) return UNREADABLE;
    if (!isFresh(parsed, ttlSeconds)) return typeof parsed['storedAt'] === 'number' ? NONE : UNREADABLE;
    const entry = entryFrom(parsed);
    return entry === undefined ? UNREADABLE : { kind: 'entry', entry };
  } catch {
    return UNREADABLE;
  }
}

function textIn(bytes: Buffer, key: string, seal: Seal | undefined): string | undefined {
  if (seal !== undefined) return seal.open(bytes, useOf(key))?.toString('utf8');
  return isSealed(bytes) ? undefined : bytes.toString('utf8');
}

function isFresh({ storedAt }: JsonObject, ttlSeconds: number): boolean {
  if (typeof storedAt !== 'number') return false;
  const age = Date.now() - storedAt;
  return age >= 0 && age < ttlSeconds * 1000;
}

/** Returns a digest of an entry: a changed byte must not come back as data. */
const digestOf = (content: object): string => createHash('sha256').update(JSON.stringify(content)).digest('hex');

function entryFrom(entry: JsonObject): CacheEntry | undefined {
  const { digest } = entry;
  const content = objectFrom(entriesOf(entry).filter(([key]) => key !== 'digest'));
  const { method, url, status, headers, body } = content;
  // Entries of earlier versions have no digest.
  if (digest !== undefined && digest !== digestOf(content)) return undefined;
  if (!isMethod(method) || typeof url !== 'string' || parseUrl(url) === undefined) return undefined;
  if (typeof status !== 'number' || typeof body !== 'string' || !isHeaders(headers)) return undefined;
  return { method, url, status, headers, body: Buffer.from(body, 'base64') };
}

const isMethod = (value: Json | undefined): value is HttpMethod => typeof value === 'string' && METHODS.includes(value);

const isHeaders = (value: Json | undefined): value is JsonObject & Headers =>
  isObject(value) && Object.values(value).every((lines) => [lines].flat().every((line) => typeof line === 'string'));
