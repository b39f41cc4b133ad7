// @ts-check
/** What becomes of a message: it is done, it comes again later, or it is dead. */
import { HeadwaterError } from 'headwater';

/** A message that asks for nothing that there is: whoever has sent it has to correct it. */
export class BadMessage extends Error {
  /** @override */
  name = 'BadMessage';
  code = 'BAD_MESSAGE';
}

/**
 * @typedef {{ readonly type: 'done' }
 *   | { readonly type: 'again', readonly afterMs: number, readonly error: unknown }
 *   | { readonly type: 'dead', readonly error: unknown }} Outcome
 */

/** Errors of the place where the service runs: the message is not to blame, though no repetition mends them at once. */
const OF_THE_PLACE = new Set(['DESTINATION_LOCKED', 'DESTINATION_ADDRESS', 'SINK_FAILED', 'PACKAGE_MISSING']);

/** @param {unknown} error */
export const codeOf = (error) =>
  error instanceof HeadwaterError || error instanceof BadMessage
    ? error.code
    : error instanceof Error
      ? error.name
      : 'UNKNOWN';

/** @param {unknown} error */
function isHopeless(error) {
  if (error instanceof BadMessage) return true;
  // Any other exception is a defect of this program: another version may do better.
  return error instanceof HeadwaterError && error.recovery === 'fatal' && !OF_THE_PLACE.has(error.code);
}

/**
 * Judges a failure.
 *
 * @param {unknown} error
 * @param {{ deliveries: number, isStopping: boolean }} message how often it was delivered; whether runs are being cancelled
 * @param {Pick<import('./settings.js').Settings, 'retryMs' | 'maxRetryMs' | 'maxDeliveries'>} settings
 * @returns {Outcome}
 */
export function outcomeOf(error, { deliveries, isStopping }, { retryMs, maxRetryMs, maxDeliveries }) {
  // Another replica, or the next start, goes on where this run stands.
  if (isStopping) return { type: 'again', afterMs: 0, error };
  if (isHopeless(error) || deliveries >= maxDeliveries) return { type: 'dead', error };
  const asked = error instanceof HeadwaterError ? 1000 * (error.retryAfterSeconds ?? 0) : 0;
  const backoff = Math.min(maxRetryMs, retryMs * 2 ** (deliveries - 1));
  return { type: 'again', afterMs: Math.max(asked, backoff), error };
}
