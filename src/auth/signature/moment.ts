import { randomUUID } from 'node:crypto';
import { newAttempt } from '../attempt';

/** How the time of a signature is written. */
export const TIMESTAMPS = ['seconds', 'milliseconds', 'iso', 'httpdate'] as const;
/** How the number used once of a signature is written. */
export const NONCES = ['hex', 'uuid'] as const;

/** How the moment of a signature is written. */
export interface MomentForm {
  readonly timestamp: (typeof TIMESTAMPS)[number];
  readonly nonce: (typeof NONCES)[number];
}

/** What is new in each signature, as text. */
export interface Moment {
  readonly timestamp: string;
  readonly nonce: string;
}

/** 32 hexadecimal digits. */
const NONCE_BYTES = 16;

/** The moment of one attempt: parts and headers of a signature have the same one. */
export const momentOf = (form: MomentForm): Moment => ({
  timestamp: timestampAs(form.timestamp, Date.now()),
  nonce: form.nonce === 'uuid' ? randomUUID() : newAttempt(NONCE_BYTES).nonce,
});

/**
 * A moment, in milliseconds since the epoch, as text.
 *
 * @example timestampAs('httpdate', 0) // 'Thu, 01 Jan 1970 00:00:00 GMT'
 */
export function timestampAs(form: MomentForm['timestamp'], milliseconds: number): string {
  switch (form) {
    case 'seconds':
      return String(Math.floor(milliseconds / 1000));
    case 'milliseconds':
      return String(milliseconds);
    case 'iso':
      return new Date(milliseconds).toISOString();
    case 'httpdate':
      return new Date(milliseconds).toUTCString();
  }
}
