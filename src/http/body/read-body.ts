import { keepPlaces } from '../../core/json/literals';
import { isList, isObject, keysOf } from '../../core/json/objects';
import { isSentence } from '../../core/json/scalars';
import { decodeUtf8 } from '../../core/json/item-reader';
import type { Json, JsonArray, Response } from '../../core/model';
import { Unreadable } from '../../language/parts/errors';
import type { ChosenFormat, GuessedFormat } from '../../language/parts/format';
import { json, readJson } from '../formats/json';
import { chosenFiles, contentOf, isZip } from '../formats/zip';
import { shownText, textOf } from './characters';
import type { Writing } from './characters';
import { LONGEST_BODY, gunzipAll } from './content-coding';

/** The result of reading a body. */
export type Reading = Data | { readonly kind: 'empty' } | Invalid;
interface Data {
  readonly kind: 'data';
  readonly data: Json;
  /** True if the format also reads a body that was cut off at the end of a line. */
  readonly hidesEnd?: boolean;
  /** True if there are no rows, and the names of the columns look like a sentence. */
  readonly isSentence?: boolean;
  /** The whole content, if there are no rows. */
  readonly heading?: string;
  /** True if the format names columns, the same for all rows. */
  readonly hasColumns?: boolean;
  /** True if bytes that are not in the encoding of the body were left out. */
  readonly isDamaged?: boolean;
}
export interface Invalid {
  readonly kind: 'invalid';
  /** The expected format. */
  readonly as: Pick<ChosenFormat, 'label' | 'isJson'>;
  readonly text: string;
  readonly reason: string;
}

/** The expected format of a JSON body. */
export const JSON_BODY = { label: json.label, isJson: true };

/** What to do with bytes of JSON that are not in its encoding. */
export type Misfits = 'refuse' | 'leave out';

/** Reads a body as JSON regardless of its content type (docs/language/responses.md#reading). */
export function readAsJson(body: Uint8Array, writing: Writing, misfits: Misfits = 'refuse'): Reading {
  let text: string;
  try {
    text = textOf(body, writing);
  } catch (error) {
    if (misfits === 'refuse') return invalid(JSON_BODY, shownText(body, writing), error);
    const left = decodeUtf8(body);
    const read = reading(JSON_BODY, left, () => readJson(left));
    return read.kind === 'data' ? { ...read, isDamaged: true } : read;
  }
  return isBlank(text) ? { kind: 'empty' } : reading(JSON_BODY, text, () => readJson(text));
}

/** Reads a body by the configured format; a gzip file and files of a zip archive are unpacked. */
export function readAs(format: ChosenFormat, response: Response, misfits?: Misfits): Reading {
  const read = readFiles(format, response, misfits);
  return format.hasColumns && read.kind === 'data' ? { ...read, hasColumns: true } : read;
}

function readFiles(format: ChosenFormat, { body, headers }: Response, misfits?: Misfits): Reading {
  const { readBytes } = format;
  const writing = { headers, format };
  const readEach = (file: Unpacked): Reading => readFile(format, file, writing, misfits);
  try {
    if (readBytes !== undefined) return readWhole(readBytes, body);
    const files = unpack(body, format.file);
    const [only, ...others] = files;
    if (only !== undefined && others.length === 0) {
      const read = readEach(only);
      return read.kind === 'data' && !format.showsEnd && isText(body) ? { ...read, hidesEnd: true } : read;
    }
    return { kind: 'data', data: joined(files, readEach, format.hasColumns) };
  } catch (error) {
    return invalid(format, isText(body) ? shownText(body, writing) : '', error);
  }
}

function readWhole(read: (bytes: Uint8Array) => Json, body: Uint8Array): Reading {
  const bytes = unzipped(body, LONGEST_BODY);
  return bytes.length === 0 ? { kind: 'empty' } : { kind: 'data', data: read(bytes) };
}

function readFile(format: ChosenFormat, { name, bytes }: Unpacked, writing: Writing, misfits?: Misfits): Reading {
  const read = readText(format, bytes, writing, misfits);
  return read.kind === 'invalid' && name !== undefined
    ? { ...read, reason: `the file ${JSON.stringify(name)}: ${read.reason}` }
    : read;
}

function readText(format: ChosenFormat, bytes: Uint8Array, writing: Writing, misfits?: Misfits): Reading {
  if (format.isJson) return readAsJson(bytes, writing, misfits);
  const text = textOf(bytes, writing);
  if (isBlank(text)) return { kind: 'empty' };
  const read = reading(format, text, () => format.read(text));
  const hasNoRows = format.hasColumns && read.kind === 'data' && isList(read.data) && read.data.length === 0;
  if (!hasNoRows) return read;
  return { ...read, heading: text.trim(), ...(isSentence(text) ? { isSentence: true } : {}) };
}

/**
 * Returns the arrays of several files as one.
 *
 * @param hasColumns whether all rows of a file have the same columns
 * @throws Unreadable if one of them has no array, because its other content would be lost; or if their rows are of
 *   different kinds
 */
function joined(files: readonly Unpacked[], read: (file: Unpacked) => Reading, hasColumns: boolean): Json {
  const lists = files.map((file) => {
    const found = read(file);
    if (found.kind === 'invalid') throw new Unreadable(found.reason);
    if (found.kind === 'empty') return [];
    if (isList(found.data)) return found.data;
    throw new Unreadable(
      `the file ${JSON.stringify(file.name)} is no array, so it is read alone: name it in format.file`,
    );
  });
  if (hasColumns) requireOneKind(files, lists);
  return keepPlaces(lists.flatMap((holder) => holder.map((_, key) => ({ holder, key }))));
}

/** Refuses files that each have columns that the others lack: their rows do not belong to one table. */
function requireOneKind(files: readonly Unpacked[], lists: readonly JsonArray[]): void {
  let widest: { readonly name: string; readonly columns: readonly string[] } | undefined;
  for (const [at, [row]] of lists.entries()) {
    if (row === undefined || !isObject(row)) continue;
    const table = { name: JSON.stringify(files[at]?.name), columns: keysOf(row) };
    const missing = widest === undefined ? undefined : without(widest.columns, table.columns);
    const added = widest === undefined ? '' : without(table.columns, widest.columns);
    if (widest !== undefined && missing !== undefined && added !== undefined)
      throw new Unreadable(
        `the files ${widest.name} and ${table.name} have different columns: ${JSON.stringify(missing)} is only in the first, ` +
          `${JSON.stringify(added)} only in the other. Name files of one kind in format.file, and read the others by another job`,
      );
    if (added !== undefined) widest = table;
  }
}

/** Returns the first name that the others lack. */
const without = (names: readonly string[], others: readonly string[]): string | undefined =>
  names.find((name) => !others.includes(name));

/** Returns whether a text is JSON white space; anything else is content. */
const isBlank = (text: string): boolean => /^[ \t\r\n]*$/.test(text);

function reading(as: Invalid['as'], text: string, read: () => Json): Reading {
  try {
    return { kind: 'data', data: read() };
  } catch (error) {
    return invalid(as, text, error);
  }
}

function invalid({ label, isJson }: Invalid['as'], text: string, error: unknown): Reading {
  if (error instanceof Unreadable) return { kind: 'invalid', as: { label, isJson }, text, reason: error.message };
  throw error;
}

/**
 * Returns the format of the content type of a response, if the body looks like it, for bodies that are not JSON.
 *
 * @param known the content types of all formats
 * @example formatOf(BUILT_IN.contentTypes, response, '<feed/>')?.label // 'XML', for application/atom+xml; charset=utf-8
 */
export function formatOf(
  known: readonly GuessedFormat[],
  { headers }: Pick<Response, 'headers'>,
  text: string,
): GuessedFormat['format'] | undefined {
  const type = (String(headers['content-type'] ?? '').split(';', 1)[0] ?? '').trim().toLowerCase();
  return known.find((each) => each.type.test(type) && each.begins.test(text))?.format;
}

/** A body as it came, or a file from a packed body. */
export interface Unpacked {
  /** The name of the file in its zip archive. */
  readonly name?: string;
  readonly bytes: Uint8Array;
}

/** Returns whether bytes begin like a gzip file; text never begins that way. */
export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/** Returns whether a body may be text, not a file that has to be unpacked first. */
const isText = (bytes: Uint8Array): boolean => !isGzip(bytes) && !isZip(bytes);

/**
 * Returns the files of a body: the selected files of a zip archive, and the content of a gzip file, inside or around an
 * archive. Any other bytes stay as they are.
 *
 * @param pattern the files to read in an archive; with it, the body has to be an archive
 * @throws Unreadable if it is damaged, or holds more than {@link LONGEST_BODY} bytes
 */
function unpack(body: Uint8Array, pattern?: string): readonly Unpacked[] {
  const bytes = unzipped(body, LONGEST_BODY);
  if (!isZip(bytes)) {
    requireNoPattern(pattern);
    return [{ bytes }];
  }
  let left = LONGEST_BODY;
  return chosenFiles(bytes, pattern).map((file) => {
    const content = unzipped(contentOf(bytes, file, left), left);
    if (isZip(content)) throw nested(file.name);
    left -= content.length;
    return { name: file.name, bytes: content };
  });
}

/** @throws Unreadable if a body is not a zip archive, but files of one are selected */
export function requireNoPattern(pattern: string | undefined): void {
  if (pattern !== undefined) throw new Unreadable('it is no zip archive, although format.file names a file of one');
}

const nested = (name: string): Unreadable =>
  new Unreadable(`the file ${JSON.stringify(name)} of the zip archive is a zip archive itself`);

/** Returns the content of a gzip file; any other bytes as they are. */
function unzipped(bytes: Uint8Array, limit: number): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  try {
    return gunzipAll(bytes, limit);
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Unreadable(isTooLarge ? `unpacked it is longer than ${LONGEST_BODY} bytes` : 'it is a damaged gzip file');
  }
}
