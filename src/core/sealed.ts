/** Encrypts files with tokens or data of runs by AES-256-GCM, so that only the owner of the key can read them. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import { FatalError } from './errors/errors';

/** Encrypts and decrypts with one key. */
export interface Seal {
  /** @param use the purpose of the bytes: bytes of another purpose cannot replace them */
  readonly close: (bytes: Uint8Array, use: string) => Buffer;
  /** Returns `undefined` if the key is another one, the bytes were changed, or they are for another purpose. */
  readonly open: (sealed: Uint8Array, use: string) => Buffer | undefined;
}

/** The first bytes of all sealed data, with the number of the format. */
const MAGIC = Buffer.from('headwater-sealed-1\n');
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = MAGIC.length + SALT_BYTES + NONCE_BYTES;
const SHORTEST_KEY = 16;

/** The cost that makes guessing a key slow: about a tenth of a second and 32 MiB for each guess. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** Returns whether bytes are sealed, with any key. */
export const isSealed = (bytes: Uint8Array): boolean => MAGIC.equals(bytes.subarray(0, MAGIC.length));

/**
 * Creates a seal from a key.
 *
 * @param key any string of at least 16 characters, for example from `openssl rand -base64 32`
 * @throws FatalError CONFIG_INVALID for a shorter key
 * @example createSeal(process.env.HEADWATER_KEY).close(Buffer.from('{}'), 'state')
 */
export function createSeal(key: string): Seal {
  if (key.length < SHORTEST_KEY) throw new FatalError('CONFIG_INVALID', TOO_SHORT);
  let main: Buffer | undefined;
  /** Derives a key for one file, so that no nonce is used twice with one key. */
  const keyFor = (salt: Uint8Array): Buffer => {
    main ??= scryptSync(key, MAGIC, KEY_BYTES, COST);
    return Buffer.from(hkdfSync('sha256', main, salt, MAGIC, KEY_BYTES));
  };
  return {
    close: (bytes, use) => {
      const salt = randomBytes(SALT_BYTES);
      const nonce = randomBytes(NONCE_BYTES);
      const header = Buffer.concat([MAGIC, salt, nonce]);
      const cipher = createCipheriv(ALGORITHM, keyFor(salt), nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.concat([header, Buffer.from(use)]));
      return Buffer.concat([header, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, use) => {
      if (!isSealed(sealed) || sealed.length < HEADER_BYTES + TAG_BYTES) return undefined;
      const header = sealed.subarray(0, HEADER_BYTES);
      const salt = header.subarray(MAGIC.length, MAGIC.length + SALT_BYTES);
      const nonce = header.subarray(MAGIC.length + SALT_BYTES);
      const decipher = createDecipheriv(ALGORITHM, keyFor(salt), nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.concat([header, Buffer.from(use)]));
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

const TOO_SHORT =
  `The key for encryption should have at least ${SHORTEST_KEY} characters. ` +
  'Make one with: openssl rand -base64 32. Without the option or variable, nothing is encrypted.';
