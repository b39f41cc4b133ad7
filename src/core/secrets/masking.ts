import { HeadwaterError } from '../errors/errors';
import type { Report, RunEvent } from '../events';
import type { Page } from '../model';
import type { Secrets } from './secrets';

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
