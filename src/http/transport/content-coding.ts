import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { BodyTooLong, LONGEST_BODY } from '../body/body-limit';

/** What the transport asks for unless the request names its own. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

const limits = { maxOutputLength: LONGEST_BODY };
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
 * @returns a promise that is rejected when the bytes do not have that coding, and with BodyTooLong when they unpack to
 * more than a body may hold
 */
export async function undoCoding(bytes: Uint8Array, contentEncoding: string): Promise<Uint8Array> {
  const decoders = contentEncoding
    .toLowerCase()
    .split(',')
    .flatMap((coding) => DECODERS.get(coding.trim()) ?? []);
  let decoded = bytes;
  for (const decode of decoders.reverse())
    decoded = decoded.byteLength === 0 ? decoded : await decode(decoded).catch(nameLimit);
  return decoded;
}

function nameLimit(error: NodeJS.ErrnoException): never {
  throw error.code === 'ERR_BUFFER_TOO_LARGE' ? new BodyTooLong() : error;
}
