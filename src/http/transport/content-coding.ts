import { promisify } from 'node:util';
import { Readable, pipeline } from 'node:stream';
import type { Transform } from 'node:stream';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  inflate,
  inflateRaw,
} from 'node:zlib';
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

const STREAM_DECODERS: ReadonlyMap<string, (first: Uint8Array) => Transform> = new Map<
  string,
  (first: Uint8Array) => Transform
>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  ['deflate', (first) => (isWrapped(first) ? createInflate() : createInflateRaw())],
]);

/** Undoes the codings of a body as it arrives: the same as {@link undoCoding}, without a limit, since nothing is kept. */
export function undoCodingOf(bytes: AsyncIterable<Uint8Array>, contentEncoding: string): AsyncIterable<Uint8Array> {
  const decoders = contentEncoding
    .toLowerCase()
    .split(',')
    .flatMap((coding) => STREAM_DECODERS.get(coding.trim()) ?? []);
  return decoders.reduceRight((encoded, decoder) => through(encoded, decoder), bytes);
}

/**
 * Bytes through a transform that is made when the first of them are there; without any there is nothing to undo. An error of the
 * source is the error of the result, as it is.
 */
export async function* through(
  bytes: AsyncIterable<Uint8Array>,
  transform: (first: Uint8Array) => Transform | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  const source = bytes[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) return;
  const all = withFirst(first.value, source);
  const decoder = transform(first.value);
  if (decoder === undefined) return yield* all;
  yield* pipeline(Readable.from(all, { objectMode: false }), decoder, () => undefined) as AsyncIterable<Uint8Array>;
}

async function* withFirst(
  first: Uint8Array,
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield first;
    for (;;) {
      const next = await source.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await source.return?.();
  }
}
