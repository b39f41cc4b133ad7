/** The encodings that the key of a signature may stand in. */
export type KeyEncoding = 'utf8' | 'hex' | 'base64';

/**
 * The bytes of a key; `undefined` for a string that is not in that encoding, of which the platform would take a part.
 *
 * @example keyBytes('czNjcmV0', 'base64') // the bytes of `s3cret`
 */
export function keyBytes(text: string, encoding: KeyEncoding): Buffer | undefined {
  if (encoding === 'utf8') return Buffer.from(text);
  const written = text.trim();
  const bytes = Buffer.from(written, encoding);
  const isWhole =
    encoding === 'hex'
      ? bytes.toString('hex') === written.toLowerCase()
      : bytes.toString('base64url') === written.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
  return isWhole && bytes.length > 0 ? bytes : undefined;
}
