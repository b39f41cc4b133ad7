/** Masks secrets in what leaves a run, errors and events, and finds the parts of a secret address that must be masked. */
import { HeadwaterError } from '../errors/errors';
import type { Report, RunEvent } from '../events';
import type { Page } from '../model';
import type { Secrets } from './secrets';
import { percentDecode } from '../url/query';
import { isHidden, looksRandom, sensitivityOf } from './names';

/** The depth up to which causes of causes are followed. */
const DEPTH = 8;

/** Fields that programs branch on: their values are words of this project and of Node.js, never foreign messages. */
const WORDS: ReadonlySet<string> = new Set(['type', 'kind', 'code', 'name', 'recovery']);
/** Fields whose keys are chosen by others: a placeholder may be called `code`. */
const OF_OTHERS: ReadonlySet<string> = new Set(['placeholders', 'headers']);
const NONE: ReadonlySet<string> = new Set();
/** Fields of errors that are not strings. */
const FIELDS = ['job', 'headers', 'fault', 'faults', 'doubts', 'failures', 'reasons'] as const;

/**
 * Returns the event with its strings masked. A page is data, and its `dataType` names a table: only the endpoint and
 * the placeholders of its job are masked.
 */
export function maskedEvent(event: RunEvent, secrets: Secrets): RunEvent {
  if (event.type !== 'page.extracted') return masked(event, secrets);
  const { page } = event;
  const { endpoint, placeholders } = page.job;
  const ofJob = { endpoint, ...(placeholders === undefined ? {} : { placeholders }) };
  const texts = masked(ofJob, secrets);
  if (texts === ofJob) return event;
  const job = { ...page.job, ...texts };
  // The copy keeps getters: reading them here would parse pages that are only passed on.
  const properties = { ...Object.getOwnPropertyDescriptors(page), job: { value: job, enumerable: true } };
  return { ...event, page: Object.defineProperties({} as Page, properties) };
}

/** Returns a reporter that passes events on with their strings masked. */
export const masks =
  (secrets: Secrets, report: Report): Report =>
  (event) =>
    report(maskedEvent(event, secrets));

/**
 * Returns a masked copy, or the value itself if there is nothing to mask, which is almost always so; and there are many
 * events.
 */
function masked<T>(value: T, secrets: Secrets, kept = WORDS): T {
  if (typeof value === 'string') return secrets.mask(value) as T & string;
  if (typeof value !== 'object' || value === null) return value;
  let copy: T | undefined;
  for (const key in value) {
    if (kept.has(key)) continue;
    const inner = value[key];
    const shown = masked(inner, secrets, OF_OTHERS.has(key) ? NONE : WORDS);
    if (shown !== inner) (copy ??= copyOf(value))[key] = shown;
  }
  return copy ?? value;
}

const copyOf = <T extends object>(value: T): T => (Array.isArray(value) ? Object.assign([], value) : { ...value });

/**
 * Masks the strings of an error, of its causes and of the errors it gathers, in place; returns the same error. The
 * fields that a program branches on stay: class, code, recovery, and facts that are not strings.
 */
export function maskedError(error: unknown, secrets: Secrets, depth = DEPTH): unknown {
  if (typeof error === 'string') return secrets.mask(error);
  if (!(error instanceof Error) || depth === 0) return error;
  if (Object.isFrozen(error)) return copyOfFrozen(error, secrets);
  // These properties are masked in addition to message and stack, which a class may compute: Node.js keeps a malformed
  // address in `input`.
  for (const key of new Set([...Object.getOwnPropertyNames(error), 'message', 'stack'])) {
    const value: unknown = Reflect.get(error, key);
    if (typeof value !== 'string' || WORDS.has(key)) continue;
    const shown = secrets.mask(value);
    if (shown !== value) Object.defineProperty(error, key, { value: shown, configurable: true, writable: true });
  }
  if (error instanceof HeadwaterError)
    for (const name of FIELDS)
      if (Object.hasOwn(error, name))
        Reflect.set(
          error,
          name,
          masked<unknown>(Reflect.get(error, name), secrets, OF_OTHERS.has(name) ? NONE : WORDS),
        );
  const cause = maskedError(error.cause, secrets, depth - 1);
  if (cause !== error.cause) error.cause = cause;
  if (error instanceof AggregateError) error.errors.forEach((inner) => maskedError(inner, secrets, depth - 1));
  return error;
}

/** Returns a masked copy of a frozen error, which cannot be masked in place; the copy has nothing else. */
function copyOfFrozen({ name, message, stack = '' }: Error, secrets: Secrets): Error {
  const copy = new Error(secrets.mask(message));
  return Object.assign(copy, { name, stack: secrets.mask(stack) });
}

const ADDRESS = /^\s*[a-z][a-z\d+.-]*:\/\//i;
/** The separators within a segment, as in `bot123456:AAEx`. */
const SEPARATORS = /[:;,=~@!$]/;
/** The longest part without digits that counts as a word. */
const LONGEST_WORD = 15;
const SHORTEST_PATH = 6;

/**
 * Returns the parts of a secret address that must not be printed alone, since servers repeat the path alone: its user and password, its path, and the
 * segments and query values that are not usual words such as `api` or `v2`. A string that is not an address has no such
 * parts.
 *
 * @example addressParts('https://h.example/bot123456:AAETOKEN/') // ['/bot123456:AAETOKEN', 'bot123456:AAETOKEN', …]
 */
export function addressParts(secret: string): readonly string[] {
  if (!ADDRESS.test(secret) || !URL.canParse(secret)) return [];
  const { protocol, username, password, pathname, searchParams } = new URL(secret);
  const credentials = [username, password].filter((part) => part.length > 3);
  if (!/^https?:$/.test(protocol)) return both(credentials);
  const path = pathname.replace(/\/+$/, '');
  const segments = path.split('/').filter((segment) => segment !== '');
  const isUsual = segments.every((segment) => /^(?:v\d[\d.]*|[a-z_-]+)$/i.test(segment) && !isTelling(segment));
  const query = [...searchParams].flatMap(([name, value]) =>
    isTelling(value) || isHidden(value, sensitivityOf(name)) ? [value] : [],
  );
  return both([
    ...credentials,
    ...(isUsual || path.length < SHORTEST_PATH ? [] : [path]),
    ...segments.flatMap((segment) => [segment, ...segment.split(SEPARATORS)]).filter(isTelling),
    ...query,
  ]);
}

/** Returns whether a part is specific to this address, not common to addresses of others. */
const isTelling = (part: string): boolean =>
  looksRandom(part) ||
  part.length > LONGEST_WORD ||
  (part.length >= 10 && /[A-Z]/.test(part) && !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(part));

/** Returns parts as written in the address, and decoded. */
const both = (parts: readonly string[]): readonly string[] => [
  ...new Set(parts.flatMap((part) => [part, percentDecode(part)])),
];
