/** Writes items as lines of JSON that DuckDB reads without loss. */
import { plainDecimal } from '../../core/json/decimal';
import type { Holder } from '../../core/json/literals';
import { entriesOf, isList, isObject, keysOf } from '../../core/json/objects';
import { parseData } from '../../core/json/parse';
import { UNREADABLE, skipKey, skipValue } from '../../core/json/skip-value';
import { stringifyAt } from '../../core/json/stringify';
import { CLOSE_OBJECT, COMMA, LINE_END, OPEN_OBJECT, QUOTE } from '../../tables/bytes';
import { addedColumns, runColumn } from '../../tables/run-columns';
import { fitted, isDecimal, isNestedType, misfit } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { LearnedColumn, NestedValues } from '../../tables/schema/learned-column';
import type { TableSchema } from '../../tables/schema/schema';
import { bytesOf } from '../journal/journal';
import type { PageOfItems } from '../journal/journal';

/**
 * Rewrites pages so that members are named by the index of their column: `{"0":1,"2":"x"}`. The last one of equal keys counts; values in a
 * text column become strings in their original spelling, values in a JSON column become the text of the JSON.
 *
 * Lines are treated as texts of one character a byte: offsets of bytes are offsets of characters, slices cost nothing.
 *
 * @param schema knows all items of the pages
 * @throws FatalError COLUMN_TYPE from what it gives
 */
export function lineRewriter(schema: TableSchema, table: string): (page: PageOfItems) => Buffer {
  const columns = schema.learned();
  const types = columns.map(({ columnType }) => columnType);
  const fit = (token: string, type: ColumnType, column: string): string => {
    const fits = fitted(token, type);
    if (fits === undefined) throw misfit(table, column, type, token);
    return type === 'json' ? token : fits;
  };
  const nested = columns.map(({ name, nested: values }, at) => {
    if (values === undefined || !isNestedType(types[at] as ColumnType)) return undefined;
    const scalar: WriteScalar = (token, type, chosen) => valueOf(chosen ? fit(token, type, name) : token, type);
    const write = nestedWriter(values, scalar);
    return (json: string): string => write([parseData(json, 'spelling')], 0);
  });
  const valueAt = (token: string, place: number): string => {
    const rewritten = nested[place]?.(fromBytes(token));
    if (rewritten !== undefined) return toBytes(rewritten);
    const type = types[place] as ColumnType;
    if (columns[place]?.isChosen !== true) return valueOf(token, type);
    return valueOf(toBytes(fit(fromBytes(token), type, columns[place].name)), type);
  };
  const places = new Map<string, number>();
  const placeOf = (key: string): number => {
    const found = places.get(key);
    if (found !== undefined) return found;
    const place = schema.indexOf(JSON.parse(fromBytes(key)) as string) as number;
    places.set(key, place);
    return place;
  };
  return (page) => {
    const bytes = bytesOf(page);
    const text = bytes.toString('latin1');
    const added = Array.from(addedColumns(page), ([name, value]) => {
      const token = runColumn(name)?.type === 'integer' ? value : JSON.stringify(value.toWellFormed());
      return [schema.indexOfExtra(name) as number, toBytes(token)] as const;
    });
    const written: string[] = [];
    const write = (tokens: readonly (string | undefined)[]): void => {
      const members: string[] = [];
      tokens.forEach((token, place) => {
        if (token === undefined || token === 'null') return;
        members.push(`"${place}":${valueAt(token, place)}`);
      });
      written.push(`{${members.join(',')}}\n`);
    };
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(LINE_END, from);
      const to = end < 0 ? bytes.length : end;
      const tokens = tokensOf(bytes, text, from, to, placeOf);
      for (const [place, token] of added) tokens[place] = token;
      write(tokens);
      from = to + 1;
    }
    return Buffer.from(written.join(''), 'latin1');
  };
}

const toBytes = (text: string): string => Buffer.from(text).toString('latin1');
const fromBytes = (text: string): string => Buffer.from(text, 'latin1').toString();

/** Returns the tokens of an item by the index of their column. */
function tokensOf(
  bytes: Buffer,
  text: string,
  from: number,
  to: number,
  placeOf: (key: string) => number,
): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  if (bytes[from] !== OPEN_OBJECT) {
    tokens[placeOf('"value"')] = text.slice(from, to);
    return tokens;
  }
  const met = { space: false, unusual: false };
  let at = from + 1;
  while (bytes[at] === QUOTE) {
    const value = skipKey(bytes, at, met);
    const end = value === UNREADABLE ? UNREADABLE : skipValue(bytes, value, met);
    if (end === UNREADABLE) return parsedTokens(text.slice(from, to), placeOf);
    tokens[placeOf(text.slice(at, value - 1))] = text.slice(value, end);
    at = bytes[end] === COMMA ? end + 1 : end;
  }
  return bytes[at] === CLOSE_OBJECT && at === to - 1 ? tokens : parsedTokens(text.slice(from, to), placeOf);
}

/** Returns the tokens of very deep values, which the quick scan leaves to the parser. */
function parsedTokens(line: string, placeOf: (key: string) => number): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  const item = parseData(fromBytes(line), 'spelling');
  if (isObject(item))
    for (const key of keysOf(item)) tokens[placeOf(toBytes(JSON.stringify(key)))] = toBytes(stringifyAt(item, key));
  return tokens;
}

function valueOf(token: string, type: ColumnType): string {
  if (type === 'json') return JSON.stringify(withoutHalves(token));
  // DuckDB would read a number as a double, and round it; some strings with exponents it does not accept as numbers.
  if (isDecimal(type)) return token.startsWith('"') ? token : `"${/[eE]/.test(token) ? plainDecimal(token) : token}"`;
  // DuckDB would do the same with an integer that is spelled as a fraction.
  if (type === 'bigint') return /[.eE]/.test(token) ? plainDecimal(token) : token;
  if (type !== 'text') return token;
  return token.startsWith('"') ? withoutHalves(token) : `"${token}"`;
}

const PAIR_OR_ESCAPE = /(\\u[dD][89abAB]..\\u[dD][c-fC-F]..)|\\u[dD][89a-fA-F]..|\\./g;

/** Replaces unpaired surrogates, which DuckDB does not accept. */
const withoutHalves = (token: string): string =>
  token.includes('\\u')
    ? token.replace(PAIR_OR_ESCAPE, (escape: string, pair?: string) =>
        pair === undefined && escape.length > 2 ? '\\ufffd' : escape,
      )
    : token;

/** Writes a value of a type that is not nested, from its JSON. */
type WriteScalar = (token: string, type: ColumnType, isChosen: boolean) => string;

/** Writes the member of a list or an object. */
type Write = (holder: Holder, key: string | number) => string;

/**
 * Returns a function that writes objects and lists so that their members are named as the fields of a STRUCT column.
 *
 * @param nested knows all values
 * @param scalar writes the values of fields and elements
 */
function nestedWriter(nested: NestedValues, scalar: WriteScalar): Write {
  const { element } = nested;
  const writeElement = element === undefined ? undefined : writerOf(element, scalar);
  const fields = new Map<string, { readonly name: string; readonly write: Write }>();
  const fieldAt = (key: string): { readonly name: string; readonly write: Write } | undefined => {
    const known = fields.get(key);
    const column = known === undefined ? nested.fieldOf(key) : undefined;
    if (column === undefined) return known;
    const field = { name: `${JSON.stringify(column.name)}:`, write: writerOf(column, scalar) };
    fields.set(key, field);
    return field;
  };
  return (holder, at) => {
    const value = isList(holder) ? holder[Number(at)] : holder[at];
    if (isList(value)) return `[${value.map((_, index) => writeElement?.(value, index) ?? 'null').join(',')}]`;
    if (!isObject(value)) return 'null';
    const members = entriesOf(value).flatMap(([key]) => {
      const field = fieldAt(key);
      return field === undefined ? [] : [field.name + field.write(value, key)];
    });
    return `{${members.join(',')}}`;
  };
}

function writerOf(column: LearnedColumn, scalar: WriteScalar): Write {
  const { columnType: type, nested, isChosen } = column;
  if (isNestedType(type) && nested !== undefined) return nestedWriter(nested, scalar);
  return (holder, key) => {
    const token = stringifyAt(holder, key);
    return token === 'null' ? token : scalar(token, type, isChosen);
  };
}
