import { isUtf8 } from 'node:buffer';

const REPLACEMENT = '\uFFFD';
/** U+FFFD as bytes, each read as one character. */
const WRITTEN_REPLACEMENT = '\xEF\xBF\xBD';
/** Stands for a U+FFFD that the text really has; control characters cannot occur in JSON. */
const STAND_IN = '\x01\x02\x01';

/** The text of a body: a byte order mark and invalid UTF-8 bytes are dropped (language 0.3, rule 5). */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = isUtf8(buffer) ? buffer.toString('utf8') : withoutInvalidBytes(buffer);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function withoutInvalidBytes(buffer: Buffer): string {
  const marked = buffer.toString('latin1').replaceAll(WRITTEN_REPLACEMENT, STAND_IN);
  return Buffer.from(marked, 'latin1').toString('utf8').replaceAll(REPLACEMENT, '').replaceAll(STAND_IN, REPLACEMENT);
}
