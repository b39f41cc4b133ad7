import { constants } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

/** What the transport asks for unless the request names its own. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/** A longer body could never become text. */
const limits = { maxOutputLength: constants.MAX_STRING_LENGTH };
const DEFLATE_METHOD = 8;

type Decoder = (bytes: Uint8Array) => Promise<Uint8Array>;

const gzip: Decoder = (bytes) => promisify(gunzip)(bytes, limits);
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['br', (bytes) => promisify(brotliDecompress)(bytes, limits)],
  // Some servers send the bare stream, without the wrapper that the standard asks for.
  ['deflate', (bytes) => promisify(isWrapped(bytes) ? inflate : inflateRaw)(bytes, limits)],
]);

const isWrapped = (bytes: Uint8Array): boolean => ((bytes[0] ?? 0) & 0x0f) === DEFLATE_METHOD;

/**
 * Undoes the codings of a body, the last one first. An empty body stays empty, and a coding that was not asked for
 * (servers write `utf-8` or `none` there) is taken for none.
 *
 * @param contentEncoding value of the header `content-encoding`
 * @returns a promise that is rejected when the bytes do not have that coding
 */
export async function undoCoding(bytes: Uint8Array, contentEncoding: string): Promise<Uint8Array> {
  const decoders = contentEncoding
    .toLowerCase()
    .split(',')
    .flatMap((coding) => DECODERS.get(coding.trim()) ?? []);
  let decoded = bytes;
  for (const decode of decoders.reverse()) decoded = decoded.byteLength === 0 ? decoded : await decode(decoded);
  return decoded;
}
