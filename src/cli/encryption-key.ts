import { createSeal } from '../index';
import type { Seal } from '../index';

/** The environment variable that encrypts what runs keep: never an argument, which other users of a machine can see. */
export const KEY_VARIABLE = 'HEADWATER_KEY';

/** The key; absent: nothing is encrypted. An empty one counts as too short: somebody meant to give one. */
export const encryptionKey = (): string | undefined => process.env[KEY_VARIABLE];

/** @throws FatalError CONFIG_INVALID for a key that is too short */
export function sealOfEnvironment(): Seal | undefined {
  const key = encryptionKey();
  return key === undefined ? undefined : createSeal(key);
}
