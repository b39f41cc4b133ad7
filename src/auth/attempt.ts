import { randomBytes } from 'node:crypto';

/** What is new in each attempt to send a request. */
export interface Attempt {
  readonly nonce: string;
  /** The time in Unix seconds. */
  readonly timestamp: number;
}

/**
 * A moment and a number used once.
 *
 * @param nonceBytes the nonce has two lowercase hexadecimal digits for each
 */
export const newAttempt = (nonceBytes: number): Attempt => ({
  nonce: randomBytes(nonceBytes).toString('hex'),
  timestamp: Math.floor(Date.now() / 1000),
});
