import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../json/utf8';
import type { ChosenFormat } from '../formats/define';

/** As much of a body as tells whether it is JSON. */
const BEGINNING = 100;

/**
 * Whether a body that is read as JSON holds bytes that are no UTF-8. They are dropped
 * (docs/language/README.md#json-without-loss), so a string may lack characters.
 *
 * @example isDamagedJson(undefined, Buffer.from('["caf\xe9"]', 'latin1')) // true
 */
export const isDamagedJson = (format: ChosenFormat | undefined, body: Uint8Array): boolean =>
  (format === undefined || format.isJson) && !isUtf8(body) && /^\s*[[{]/.test(decodeUtf8(body.subarray(0, BEGINNING)));
