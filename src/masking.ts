import type { RunEvent } from './events';
import type { Secrets } from './secrets';

/** Causes of causes beyond this depth are no longer followed. */
const DEPTH = 8;

/** What programs branch on: words of this project and of Node.js, never texts of others. */
const WORDS: ReadonlySet<string> = new Set(['type', 'kind', 'code', 'name', 'recovery']);

/**
 * The event with its texts masked. A page is data, and its `dataType` names a table: only what its job tells of the
 * request, the endpoint and the placeholders, is masked.
 */
export function maskedEvent(event: RunEvent, secrets: Secrets): RunEvent {
  if (event.type !== 'page.extracted') return maskedFields(event, secrets) as RunEvent;
  const { page } = event;
  const { endpoint, placeholders } = page.job;
  const texts = maskedFields({ endpoint, ...(placeholders === undefined ? {} : { placeholders }) }, secrets);
  return { ...event, page: { ...page, job: { ...page.job, ...texts } } };
}

const maskedFields = (fields: object, secrets: Secrets): object =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, WORDS.has(key) ? (value as unknown) : masked(value, secrets)]),
  );

function masked(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return secrets.mask(value);
  return typeof value === 'object' && value !== null ? maskedFields(value, secrets) : value;
}

/** Masks the texts of an error, of its causes and of the errors it gathers, in place; returns the same error. */
export function maskedError(error: unknown, secrets: Secrets, depth = DEPTH): unknown {
  if (!(error instanceof Error) || depth === 0) return error;
  // Beside message and stack: Node.js keeps the address in `input` when it is no URL.
  for (const key of Object.getOwnPropertyNames(error)) {
    const value: unknown = Reflect.get(error, key);
    if (typeof value === 'string' && !WORDS.has(key)) Reflect.set(error, key, secrets.mask(value));
  }
  maskedError(error.cause, secrets, depth - 1);
  if (error instanceof AggregateError) error.errors.forEach((inner) => maskedError(inner, secrets, depth - 1));
  return error;
}
