/** The one decoder of bodies: bytes of any encoding become UTF-8 (docs/language/responses.md#characters). */
import { isAscii, isUtf8 } from 'node:buffer';
import { BrokenItems } from '../../core/json/item-reader';
import type { Headers } from '../../core/model';
import { Unreadable } from '../../language/parts/errors';
import type { ChosenFormat } from '../../language/parts/format';

/** What says how a body is written, beside its own bytes. */
export interface Writing {
  readonly headers: Headers;
  readonly format?: Pick<ChosenFormat, 'name' | 'encoding' | 'declaredEncoding'> | undefined;
}

interface Encoding {
  /** A name of the Encoding Standard. */
  readonly name: string;
  /** What names it: the format, or the response; absent if nothing does. */
  readonly by?: 'format' | 'response';
}

const UTF_8 = 'utf-8';
/** What the Encoding Standard calls ISO-8859-1 and US-ASCII. Many servers name them, whatever they send. */
const LATIN_1 = 'windows-1252';

/**
 * Returns the bytes of a body in UTF-8: the same ones if they are. The encoding is that of the format, else that of a
 * byte order mark, of the content type, or of the body itself, else UTF-8.
 *
 * @throws Unreadable if the bytes are not in their encoding. If the format names it, they become U+FFFD.
 * @example utf8Of(Buffer.from('["caf\xe9"]', 'latin1'), { headers: { 'content-type': 'text/plain; charset=latin1' } })
 */
export function utf8Of(bytes: Uint8Array, writing: Writing): Uint8Array {
  const encoding = encodingOf(bytes, writing);
  return mayBeUtf8(encoding) && isUtf8(bytes) ? bytes : Buffer.from(decoded(bytes, encoding, writing));
}

/**
 * Does the same as {@link utf8Of} for the text of a body, without a byte order mark.
 *
 * @throws Unreadable
 */
export function textOf(bytes: Uint8Array, writing: Writing): string {
  const encoding = encodingOf(bytes, writing);
  return mayBeUtf8(encoding) && isUtf8(bytes) ? withoutMark(bytes).toString() : decoded(bytes, encoding, writing);
}

/** Does the same as {@link textOf} for messages: bytes that are not in their encoding are shown as Latin-1. */
export function shownText(bytes: Uint8Array, writing: Writing): string {
  try {
    return textOf(bytes, writing);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

const mayBeUtf8 = ({ name, by }: Encoding): boolean => name === UTF_8 || (name === LATIN_1 && by !== 'format');

function decoded(bytes: Uint8Array, encoding: Encoding, writing: Writing): string {
  try {
    return new TextDecoder(encoding.name, { fatal: encoding.by !== 'format' }).decode(bytes);
  } catch {
    throw new Unreadable(misfit(encoding, writing));
  }
}

function misfit({ name, by }: Encoding, { format }: Writing): string {
  const whose = by === undefined ? 'and nothing says what else it is' : 'which it says it is';
  const other = JSON.stringify({ type: format?.name ?? 'json', encoding: name === UTF_8 ? LATIN_1 : UTF_8 });
  return `it holds bytes that are no ${name.replace('utf', 'UTF')}, ${whose}: set "encoding" in the format of the job to what it is, such as ${other}`;
}

function encodingOf(bytes: Uint8Array, { headers, format }: Writing): Encoding {
  if (format?.encoding !== undefined) return { name: format.encoding, by: 'format' };
  const marked = markOf(bytes) ?? charsetOf(headers) ?? format?.declaredEncoding?.(beginningOf(bytes));
  const name = marked === undefined ? undefined : nameOf(marked);
  return name === undefined ? { name: UTF_8 } : { name, by: 'response' };
}

/** The number of bytes that show a byte order mark, or UTF-16 without one. */
const SHOWN_BY = 4;

const isMarkedUtf8 = ([first, second, third]: Uint8Array): boolean =>
  first === 0xef && second === 0xbb && third === 0xbf;

/** Returns the encoding that the first bytes show: a mark, or two characters with a byte of zeros each. */
function markOf(bytes: Uint8Array): string | undefined {
  const [first, second, third, fourth] = bytes;
  if (isMarkedUtf8(bytes)) return UTF_8;
  if ((first === 0xff && second === 0xfe) || (second === 0 && fourth === 0 && first !== 0 && third !== 0))
    return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && third === 0 && second !== 0 && fourth !== 0))
    return 'utf-16be';
  return undefined;
}

const withoutMark = (bytes: Uint8Array): Buffer => {
  const mark = isMarkedUtf8(bytes) ? 3 : 0;
  return Buffer.from(bytes.buffer, bytes.byteOffset + mark, bytes.byteLength - mark);
};

const charsetOf = (headers: Headers): string | undefined =>
  /;\s*charset=["']?([^\s"';]+)/i.exec(String(headers['content-type'] ?? ''))?.[1];

/** The number of bytes at the beginning of a body that may declare its encoding. */
const DECLARATION_LENGTH = 200;

const beginningOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, DECLARATION_LENGTH)).toString('latin1');

/** Returns the name of an encoding; `undefined` for one that nobody knows. */
function nameOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/**
 * Does the same as {@link utf8Of} for bytes as they arrive, without a byte order mark. Bytes that may be UTF-8 pass
 * without a look at them: the readers of their items check them.
 *
 * Errors: BrokenItems if the bytes are not in another encoding.
 */
export async function* utf8Pieces(
  bytes: AsyncIterable<Uint8Array>,
  writing: Writing,
): AsyncGenerator<Uint8Array, void, void> {
  let decode: PieceDecoder | undefined;
  let begun: Uint8Array = new Uint8Array(0);
  for await (const piece of bytes) {
    if (decode !== undefined) {
      yield* decode(piece);
      continue;
    }
    begun = begun.length === 0 ? piece : Buffer.concat([begun, piece]);
    if (begun.length < SHOWN_BY) continue;
    decode = pieceDecoder(begun, writing);
    yield* decode(withoutMark(begun));
  }
  const last = decode ?? pieceDecoder(begun, writing);
  if (decode === undefined) yield* last(withoutMark(begun));
  yield* last();
}

/** Returns what is complete with the next piece; without one, the rest. */
type PieceDecoder = (piece?: Uint8Array) => readonly Uint8Array[];

const asItIs: PieceDecoder = (piece) => (piece === undefined || piece.length === 0 ? [] : [piece]);

function pieceDecoder(begun: Uint8Array, writing: Writing): PieceDecoder {
  const encoding = encodingOf(begun, writing);
  const { name, by } = encoding;
  if (name === UTF_8 && by !== 'format') return asItIs;
  const decoder = new TextDecoder(name, { fatal: by !== 'format' });
  const decode: PieceDecoder = (piece) => {
    try {
      const text = decoder.decode(piece, { stream: piece !== undefined });
      return text === '' ? [] : [Buffer.from(text)];
    } catch {
      throw new BrokenItems(misfit(encoding, writing));
    }
  };
  return name === LATIN_1 && by !== 'format' ? undecided(decode) : decode;
}

/** Decides by the first characters that are not ASCII whether bytes are UTF-8 all the same. */
function undecided(other: PieceDecoder): PieceDecoder {
  let decided: PieceDecoder | undefined;
  let begun: Uint8Array = new Uint8Array(0);
  return (piece) => {
    if (decided !== undefined) return decided(piece);
    const bytes = piece === undefined ? begun : Buffer.concat([begun, piece]);
    const end = piece === undefined ? bytes.length : endOfLastCharacter(bytes);
    const whole = bytes.subarray(0, end);
    begun = bytes.subarray(end);
    if (isAscii(whole)) return [whole];
    decided = isUtf8(whole) ? asItIs : other;
    return [...decided(bytes), ...(piece === undefined ? decided() : [])];
  };
}

/** Returns where the last character of UTF-8 ends that is complete. */
function endOfLastCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (length > back) return bytes.length - back;
    if (byte < 0x80 || byte >= 0xc0) break;
  }
  return bytes.length;
}
