import type { RunEvent } from './events';
import type { Secrets } from './secrets';

/** Causes of causes beyond this depth are no longer followed. */
const DEPTH = 8;

/** The event with every text masked but those of pages, which are data. */
export function maskedEvent(event: RunEvent, secrets: Secrets): RunEvent {
  if (event.type === 'page.extracted') return event;
  const fields = Object.entries(event).map(([key, value]) => [
    key,
    typeof value === 'string' && key !== 'type' ? secrets.mask(value) : (value as unknown),
  ]);
  return Object.fromEntries(fields) as RunEvent;
}

/** Masks the texts of an error, of its causes and of the errors it gathers, in place; returns the same error. */
export function maskedError(error: unknown, secrets: Secrets, depth = DEPTH): unknown {
  if (!(error instanceof Error) || depth === 0) return error;
  const stack = error.stack;
  error.message = secrets.mask(error.message);
  if (stack !== undefined) error.stack = secrets.mask(stack);
  maskedError(error.cause, secrets, depth - 1);
  if (error instanceof AggregateError) error.errors.forEach((inner) => maskedError(inner, secrets, depth - 1));
  return error;
}
