import { promisify } from 'node:util';
import { Readable, pipeline } from 'node:stream';
import type { Transform } from 'node:stream';
import {
  brotliDecompress,
  createBrotliDecompress,
  createInflate,
  createInflateRaw,
  inflate,
  inflateRaw,
} from 'node:zlib';
import { BodyTooLong, LONGEST_BODY } from '../body/body-limit';
import { gunzipAllLater, gunzipEach } from './gunzip';

/** What the transport asks for unless the request names its own. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

const limits = { maxOutputLength: LONGEST_BODY };
const DEFLATE_METHOD = 8;

type Decoder = (bytes: Uint8Array) => Promise<Uint8Array>;

const gzip: Decoder = (bytes) => gunzipAllLater(bytes, LONGEST_BODY);
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

/** Undoes a coding of bytes as they arrive. */
type StreamDecoder = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
type StreamDecoderFor = (first: Uint8Array) => StreamDecoder;

/** A transform of Node.js as a decoder. */
export const by =
  (transform: Transform): StreamDecoder =>
  (bytes) =>
    pipeline(Readable.from(bytes, { objectMode: false }), transform, () => undefined) as AsyncIterable<Uint8Array>;

const STREAM_DECODERS: ReadonlyMap<string, StreamDecoderFor> = new Map<string, StreamDecoderFor>([
  ['gzip', () => gunzipEach],
  ['x-gzip', () => gunzipEach],
  ['br', () => by(createBrotliDecompress())],
  ['deflate', (first) => by(isWrapped(first) ? createInflate() : createInflateRaw())],
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
 * Bytes through a decoder that is chosen when the first of them are there; without any there is nothing to undo. An error of the
 * source is the error of the result, as it is.
 */
export async function* through(
  bytes: AsyncIterable<Uint8Array>,
  decoderFor: (first: Uint8Array) => StreamDecoder | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  const source = bytes[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) return;
  const all = withFirst(first.value, source);
  const decode = decoderFor(first.value);
  yield* decode === undefined ? all : decode(all);
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
