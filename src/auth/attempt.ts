import { randomBytes } from 'node:crypto';
import type { Attempt } from '../plan/authentication-plan';

/**
 * A moment and a number used once.
 *
 * @param nonceBytes the nonce has two lowercase hexadecimal digits for each
 */
export const newAttempt = (nonceBytes: number): Attempt => ({
  nonce: randomBytes(nonceBytes).toString('hex'),
  timestamp: Math.floor(Date.now() / 1000),
});
