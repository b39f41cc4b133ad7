import { isUtf8 } from 'node:buffer';
import { isList, isObject, keysOf } from '../../core/json/keys';
import { keepPlaces } from '../../core/json/literals';
import { decodeUtf8 } from '../../core/json/utf8';
import type { Json, JsonArray, Response } from '../../core/model';
import type { ChosenFormat, GuessedFormat } from '../../language/parts/format/define';
import { isSentence } from '../../core/json/text';
import { json, readJson } from '../formats/json';
import { Unreadable } from '../../language/parts/format/unreadable';
import { textOf } from './encoding';
import { isText, unpack, unzipped } from './unpack';
import type { Unpacked } from './unpack';
import { LONGEST_BODY } from './body-limit';

/** What a body turned out to be. */
export type Reading = Data | { readonly kind: 'empty' } | Invalid;
interface Data {
  readonly kind: 'data';
  readonly data: Json;
  /** The format reads a body that was cut off at the end of a line, too. */
  readonly hidesEnd?: boolean;
  /** There are no rows, and the names of the columns look like a sentence. */
  readonly isSentence?: boolean;
  /** All that there is, where there are no rows. */
  readonly heading?: string;
  /** The format names columns, and gives all rows the same ones. */
  readonly hasColumns?: boolean;
}
export interface Invalid {
  readonly kind: 'invalid';
  /** What it should have been. */
  readonly as: Pick<ChosenFormat, 'label' | 'isJson'>;
  readonly text: string;
  readonly reason: string;
}

/** What a body is that should have been JSON. */
export const JSON_BODY = { label: json.label, isJson: true };

/** Reads a body as JSON whatever its content type (docs/language/responses.md#reading). */
export function readAsJson(body: Uint8Array): Reading {
  const text = decodeUtf8(body);
  // Text may be all gone because its bytes were invalid.
  return isBlank(text) && isUtf8(body) ? { kind: 'empty' } : reading(JSON_BODY, text, () => readJson(text));
}

/** Reads a body by the format that the configuration gives it; a gzip file and files of a zip archive are unpacked. */
export function readAs(format: ChosenFormat, response: Response): Reading {
  const read = readFiles(format, response);
  return format.hasColumns && read.kind === 'data' ? { ...read, hasColumns: true } : read;
}

function readFiles(format: ChosenFormat, { body, headers }: Response): Reading {
  const { readBytes } = format;
  try {
    if (readBytes !== undefined) return readWhole(readBytes, body);
    const contentType = String(headers['content-type'] ?? '');
    const files = unpack(body, format.file);
    const [only, ...others] = files;
    if (only !== undefined && others.length === 0) {
      const read = readFile(format, only, contentType);
      return read.kind === 'data' && !format.showsEnd && isText(body) ? { ...read, hidesEnd: true } : read;
    }
    return { kind: 'data', data: joined(files, (file) => readFile(format, file, contentType), format.hasColumns) };
  } catch (error) {
    return invalid(format, isText(body) ? decodeUtf8(body) : '', error);
  }
}

function readWhole(read: (bytes: Uint8Array) => Json, body: Uint8Array): Reading {
  const bytes = unzipped(body, LONGEST_BODY);
  return bytes.length === 0 ? { kind: 'empty' } : { kind: 'data', data: read(bytes) };
}

function readFile(format: ChosenFormat, { name, bytes }: Unpacked, contentType: string): Reading {
  const read = readText(format, bytes, contentType);
  return read.kind === 'invalid' && name !== undefined
    ? { ...read, reason: `the file ${JSON.stringify(name)}: ${read.reason}` }
    : read;
}

function readText(format: ChosenFormat, bytes: Uint8Array, contentType: string): Reading {
  if (format.isJson) return readAsJson(bytes);
  const text = textOf(bytes, format, contentType);
  if (isBlank(text)) return { kind: 'empty' };
  const read = reading(format, text, () => format.read(text));
  const hasNoRows = format.hasColumns && read.kind === 'data' && isList(read.data) && read.data.length === 0;
  if (!hasNoRows) return read;
  return { ...read, heading: text.trim(), ...(isSentence(text) ? { isSentence: true } : {}) };
}

/**
 * The arrays of several files as one.
 *
 * @param hasColumns whether all rows of a file have the same columns
 * @throws Unreadable where one of them has no array: what is beside it would be lost; or where their rows are of different kinds
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

/** Rows of files of which each has columns that the other lacks are not rows of one table. */
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

/** The first name that others lack. */
const without = (names: readonly string[], others: readonly string[]): string | undefined =>
  names.find((name) => !others.includes(name));

/** White space as JSON has it; anything else is something that the API has said. */
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
 * The format that the content type of a response names, if the body looks like it: for bodies that are no JSON.
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

/** The bytes at the beginning of a body that tell whether it is JSON. */
const BEGINNING = 100;

/**
 * Whether a body that is read as JSON holds bytes that are no UTF-8. They are dropped
 * (docs/language/README.md#json-without-loss), so a string may lack characters.
 *
 * @example isDamagedJson(undefined, Buffer.from('["caf\xe9"]', 'latin1')) // true
 */
export const isDamagedJson = (format: ChosenFormat | undefined, body: Uint8Array): boolean =>
  (format === undefined || format.isJson) && !isUtf8(body) && /^\s*[[{]/.test(decodeUtf8(body.subarray(0, BEGINNING)));
