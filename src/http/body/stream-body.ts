import { BrokenItems } from '../../core/json/item-reader';
import { decodeUtf8 } from '../../core/json/utf8';
import type { Response } from '../../core/model';
import type { ChosenFormat, TextOf } from '../../language/parts/format/define';
import { brokenUnless } from '../formats/broken-unless';
import { through } from '../transport/content-coding';
import { gunzipEach } from '../transport/gunzip';
import { textOf } from './encoding';
import { isGzip } from './unpack';
import { fileOf, pieces } from './zip-stream';

/** A body as it arrives, and what makes characters of it. */
export function openBody(response: Response, format: ChosenFormat | undefined) {
  let isPacked = false;
  return {
    bytes: bytesOf(response, format?.file, () => (isPacked = true)),
    textOf: format === undefined ? decodeUtf8 : textReader(response, format),
    /** Tells, when the body has come to its end, whether it could have been cut off at the end of a line unseen. */
    mayBeCut: () => response.isEndUnknown === true && format?.showsEnd === false && !isPacked,
  };
}

/**
 * The body of a response as it arrives, a gzip file or a file of a zip archive unpacked; of a response that is held, its body.
 *
 * Errors: those of the connection; BrokenItems for a damaged file.
 */
async function* bytesOf(
  { stream, body }: Response,
  file: string | undefined,
  packed: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* gunzipped(fileOf(gunzipped(stream ?? pieces(body), packed), file, packed));
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new BrokenItems('it is a damaged gzip file, or it ends too early');
    throw error;
  }
}

const gunzipped = (bytes: AsyncIterable<Uint8Array>, packed?: () => void): AsyncIterable<Uint8Array> =>
  through(bytes, (first) => {
    if (!isGzip(first)) return undefined;
    packed?.();
    return gunzipEach;
  });

/** Encodings in which the byte of a line end may be half a character. */
const WIDE = /^(?:utf-?16|iso-?2022|ucs|unicode)/i;

/**
 * Makes characters of pieces of a body that begin and end with a line.
 *
 * @throws BrokenItems for an encoding whose lines cannot be told apart in bytes, and for bytes that are not of the encoding
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
    return brokenUnless(() => textOf(bytes, format, contentType));
  };
}
