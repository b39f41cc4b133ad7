import { createGunzip } from 'node:zlib';
import { BrokenItems } from '../../json/item-reader';
import { decodeUtf8 } from '../../json/utf8';
import type { Response } from '../../model';
import type { ChosenFormat, TextOf } from '../formats/define';
import { through } from '../transport/content-coding';
import { textOf } from './encoding';
import { isGzip } from './unpack';

/** A body as it arrives, and what makes characters of it. */
export const openBody = (response: Response, format: ChosenFormat | undefined) => ({
  bytes: bytesOf(response),
  textOf: format === undefined ? decodeUtf8 : textReader(response, format),
});

/**
 * The body of a response as it arrives, a gzip file unpacked; of a response that is held, its body.
 *
 * Errors: those of the connection; BrokenItems for a damaged gzip file.
 */
async function* bytesOf({ stream, body }: Response): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* through(stream ?? pieces(body), (first) => (isGzip(first) ? createGunzip() : undefined));
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new BrokenItems('it is a damaged gzip file, or it ends too early');
    throw error;
  }
}

/** The bytes of a piece of a body that is held. */
const PIECE = 2 ** 20;

async function* pieces(body: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < body.length; at += PIECE) yield await Promise.resolve(body.subarray(at, at + PIECE));
}

/** Encodings in which the byte of a line end may be half a character. */
const WIDE = /^(?:utf-?16|iso-?2022|ucs|unicode)/i;

/**
 * Makes characters of pieces of a body that begin and end with a line.
 *
 * @throws BrokenItems for an encoding whose lines cannot be told apart in bytes
 */
function textReader({ headers }: Response, format: ChosenFormat): TextOf {
  const contentType = String(headers['content-type'] ?? '');
  const named = format.encoding ?? /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1] ?? '';
  const refuse = (): never => {
    throw new BrokenItems('it is UTF-16 or the like, which cannot be streamed: leave "stream" out');
  };
  if (WIDE.test(named)) refuse();
  return (bytes) => {
    const [first, second] = bytes;
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) refuse();
    return textOf(bytes, format, contentType);
  };
}
