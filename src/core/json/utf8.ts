import { isUtf8 } from 'node:buffer';

const REPLACEMENT = '\uFFFD';
/** U+FFFD as bytes, each read as one character. */
const WRITTEN_REPLACEMENT = '\xEF\xBF\xBD';

/**
 * Decodes the text of a body. A byte order mark and invalid UTF-8 bytes are dropped
 * (docs/language/README.md#json-without-loss).
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = isUtf8(buffer) ? buffer.toString('utf8') : withoutInvalidBytes(buffer);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/**
 * Decodes without invalid bytes. The decoder writes U+FFFD for invalid bytes, so each real U+FFFD is cut out before and
 * put back.
 */
function withoutInvalidBytes(buffer: Buffer): string {
  const parts = buffer.toString('latin1').split(WRITTEN_REPLACEMENT);
  const valid = parts.map((part) => Buffer.from(part, 'latin1').toString('utf8').replaceAll(REPLACEMENT, ''));
  return valid.join(REPLACEMENT);
}
