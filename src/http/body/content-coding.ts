/** Content codings: decodes whole bodies and streams, and reads gzip files. */
import { Readable, pipeline } from 'node:stream';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
} from 'node:zlib';
import type { Gunzip } from 'node:zlib';
import { LONGEST_BODY } from '../formats/zip';

export { LONGEST_BODY };

/** The error for a body of more than {@link LONGEST_BODY} bytes. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}

/** The codings that the transport requests unless the request names its own. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

const limits = { maxOutputLength: LONGEST_BODY };
const DEFLATE_METHOD = 8;

type Decoder = (bytes: Uint8Array) => Promise<Uint8Array>;

const gzip: Decoder = (bytes) => gunzipAllLater(bytes, LONGEST_BODY);
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['br', (bytes) => promisify(brotliDecompress)(bytes, limits)],
  // Some servers send the bare stream without the wrapper that the standard requires.
  ['deflate', (bytes) => promisify(isWrapped(bytes) ? inflate : inflateRaw)(bytes, limits)],
]);

const isWrapped = (bytes: Uint8Array): boolean => ((bytes[0] ?? 0) & 0x0f) === DEFLATE_METHOD;

/**
 * Decodes the codings of a body, the last one first. An empty body stays empty, and a coding that was not requested
 * (servers write `utf-8` or `none` there) counts as none.
 *
 * @param contentEncoding the value of the header `content-encoding`
 * @returns a promise that rejects if the bytes do not have that coding, and with BodyTooLong if they unpack to more
 *   than a body may hold
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

/** Decodes a coding of bytes as they arrive. */
type StreamDecoder = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
type StreamDecoderFor = (first: Uint8Array) => StreamDecoder;

/** Returns a transform of Node.js as a decoder. */
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

/**
 * Decodes the codings of a body as it arrives: the same as {@link undoCoding}, but without a limit, because nothing is
 * kept.
 */
export function undoCodingOf(bytes: AsyncIterable<Uint8Array>, contentEncoding: string): AsyncIterable<Uint8Array> {
  const decoders = contentEncoding
    .toLowerCase()
    .split(',')
    .flatMap((coding) => STREAM_DECODERS.get(coding.trim()) ?? []);
  return decoders.reduceRight((encoded, decoder) => through(encoded, decoder), bytes);
}

/**
 * Passes bytes through a decoder that is chosen when the first of them arrive; an empty body needs no decoder. An error
 * of the source passes unchanged.
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

/**
 * Reads gzip as gzip(1) does: members one after another, with zeros between and behind them. Node.js silently ends at
 * the first zero.
 */

/** The result of Node.js with the option `info`. */
interface Member {
  readonly buffer: Uint8Array;
  /** The engine, which counts the bytes that were read. */
  readonly engine: { readonly bytesWritten: number };
}

const isMember = (given: unknown): given is Member => typeof given === 'object' && given !== null && 'engine' in given;

function memberOf(given: unknown): Member {
  if (isMember(given)) return given;
  throw new Error('node:zlib has given no engine, although it was asked for one.');
}

/**
 * Unpacks all members of a gzip file.
 *
 * @param limit the most bytes of all members together
 * @throws an error of node:zlib: `Z_DATA_ERROR`, `Z_BUF_ERROR`, or `ERR_BUFFER_TOO_LARGE` above the limit
 */
export function gunzipAll(bytes: Uint8Array, limit: number): Uint8Array {
  const members = new Members(bytes, limit);
  while (members.rest.length > 0) members.add(memberOf(gunzipSync(members.rest, members.options)));
  return members.all();
}

/** Does the same as {@link gunzipAll} without blocking the thread. */
export async function gunzipAllLater(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const members = new Members(bytes, limit);
  while (members.rest.length > 0) members.add(memberOf(await unpacked(members.rest, members.options)));
  return members.all();
}

const unpacked: (bytes: Uint8Array, options: object) => Promise<unknown> = promisify(gunzip);

class Members {
  readonly #parts: Uint8Array[] = [];

  constructor(
    public rest: Uint8Array,
    private left: number,
  ) {}

  get options() {
    return { maxOutputLength: Math.max(this.left, 1), info: true };
  }

  add({ buffer, engine }: Member): void {
    this.#parts.push(buffer);
    this.left -= buffer.length;
    this.rest = afterZeros(this.rest.subarray(engine.bytesWritten));
  }

  all(): Uint8Array {
    const [only = new Uint8Array(0), ...others] = this.#parts;
    return others.length === 0 ? only : Buffer.concat(this.#parts);
  }
}

function afterZeros(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? bytes.subarray(bytes.length) : bytes.subarray(first);
}

/** Does the same as {@link gunzipAll} for bytes as they arrive. */
export async function* gunzipEach(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let member: OpenMember | undefined;
  try {
    let isFirst = true;
    for await (const piece of bytes) {
      let rest = piece;
      while (rest.length > 0) {
        if (member === undefined && !isFirst) rest = afterZeros(rest);
        if (rest.length === 0) break;
        isFirst = false;
        member ??= new OpenMember();
        rest = rest.subarray(await member.take(rest));
        yield* member.given();
        if (member.isOver) member = undefined;
      }
    }
    if (member === undefined) return;
    await member.end();
    yield* member.given();
  } finally {
    member?.close();
  }
}

/** Consecutive members, as far as they have arrived. */
class OpenMember {
  readonly #engine: Gunzip = createGunzip();
  #parts: Uint8Array[] = [];
  isOver = false;
  #settle: (error?: Error) => void = () => undefined;

  constructor() {
    this.#engine.on('data', (part: Uint8Array) => this.#parts.push(part));
    this.#engine.on('error', (error: Error) => this.#settle(error));
    this.#engine.on('end', () => {
      this.isOver = true;
      this.#settle();
    });
  }

  /** Reads bytes up to the end of the last member; resolves to their number. */
  async take(bytes: Uint8Array): Promise<number> {
    const before = this.#engine.bytesWritten;
    await this.#until((done) => this.#engine.write(bytes, () => done()));
    return this.#engine.bytesWritten - before;
  }

  async end(): Promise<void> {
    await this.#until(() => this.#engine.end());
  }

  /** Returns the output since the last call. */
  given(): readonly Uint8Array[] {
    // The rest of the engine's buffer is emitted as events, too.
    while (this.#engine.read() !== null);
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  close(): void {
    this.#engine.destroy();
  }

  #until(begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = (error) => {
        if (error === undefined) resolve();
        else reject(error);
      };
      begin(() => this.#settle());
    });
  }
}
