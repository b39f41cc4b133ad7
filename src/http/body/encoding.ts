import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../core/json/utf8';
import type { ChosenFormat } from '../../language/parts/format/define';
import { Unreadable } from '../../language/parts/format/unreadable';

/** The bytes at the beginning of a body that may declare its encoding. */
const DECLARATION_LENGTH = 200;

/**
 * The text of a body: by the format's `encoding`, else by a byte order mark, the charset of the content type or what the
 * body itself declares, else UTF-8. An encoding of the response that nobody knows is taken for UTF-8. Where the format has
 * an `encoding`, U+FFFD stands for what is none of its characters.
 *
 * @param contentType value of the header `content-type`; empty without one
 * @throws Unreadable where it is taken for UTF-8, and is none
 */
export function textOf(bytes: Uint8Array, format: ChosenFormat, contentType: string): string {
  const declared = markOf(bytes) ?? charsetOf(contentType) ?? format.declaredEncoding?.(beginningOf(bytes));
  const encoding = known(format.encoding ?? declared);
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  if (isUtf8(bytes)) return decodeUtf8(bytes);
  if (format.encoding !== undefined) return new TextDecoder().decode(bytes);
  throw new Unreadable(
    'it holds bytes that are no UTF-8, and does not say what else it is: set "encoding" in the format, such as "windows-1252"',
  );
}

/** UTF-16; the mark of UTF-8 is dropped with it. */
function markOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

const charsetOf = (contentType: string): string | undefined => /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1];

const beginningOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, DECLARATION_LENGTH)).toString('latin1');

/** `undefined` for UTF-8, and for what nobody knows. */
function known(label: string | undefined): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === 'utf-8' ? undefined : encoding;
  } catch {
    return undefined;
  }
}
