import * as t from 'io-ts';
import { isList, isObject } from '../json/keys';
import { choose, codec, expected, refine, refuse, unknownWord, type Codec, type Input } from '../codec/codec';
import type { CsvFormat, ResponseFormat } from './configuration';
import { constant, integerFrom, isMissing, list, string, valueOf } from '../codec/primitives';
import { always, optional, record, withDefault } from '../codec/record';
import { ignored, unknownKey, type KeyJudge } from '../codec/unknown-key';

const TYPES = ['json', 'xml', 'csv', 'jsonl', 'text'] as const;
type Type = (typeof TYPES)[number];

/** Other names of formats, and what to write. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['ndjson', 'did you mean "jsonl"?'],
  ['jsonlines', 'did you mean "jsonl"?'],
  ['json-lines', 'did you mean "jsonl"?'],
  ['tsv', 'write {"type": "csv", "delimiter": "\\t"}'],
]);

const typeName: Codec<Type> = codec('FormatType', { enum: TYPES }, (input, context) => {
  const type = TYPES.find((candidate) => candidate === input);
  if (type !== undefined) return t.success(type);
  const hint = typeof input === 'string' ? OTHER_NAMES.get(input.toLowerCase()) : undefined;
  return hint === undefined
    ? unknownWord(TYPES, input, context)
    : refuse(input, context, `expected one of ${TYPES.join(', ')}, found ${JSON.stringify(input)}; ${hint}`);
});

const encoding = refine('Encoding', string, (label, context) => {
  try {
    return t.success(new TextDecoder(label).encoding);
  } catch {
    return expected('an encoding such as "windows-1252" or "utf-16le"', label, context);
  }
});

const character = (what: string): Codec<string> =>
  refine('Character', string, (text, context) =>
    Array.from(text).length === 1 ? t.success(text) : expected(`${what}: one character`, text, context),
  );

const quoteMark = character('the quote, or an empty text for none');
const quote: Codec<string> = codec('Quote', {}, (input, context) => {
  if (isMissing(input)) return t.success('"');
  return input === '' || input === false ? t.success('') : quoteMark.validate(input, context);
});

const headerNames: Codec<readonly string[]> = refine('HeaderNames', list(string), (names, context) => {
  const again = names.findIndex((name, at) => names.indexOf(name) < at);
  return again < 0 ? t.success(names) : refuse(names[again] ?? null, context, twice(names, again));
});
const twice = (names: readonly string[], again: number): string =>
  `expected names that differ: entries ${names.indexOf(names[again] ?? '')} and ${again} are equal`;
const header: Codec<CsvFormat['header']> = codec('Header', {}, (input, context): t.Validation<CsvFormat['header']> => {
  if (isMissing(input)) return t.success(true);
  if (typeof input === 'boolean') return t.success(input);
  return isList(input) && input.length > 0
    ? headerNames.validate(input, context)
    : expected('true, false, or a list of the names of the columns', input, context);
});

const csvOptions = {
  delimiter: 'csv',
  quote: 'csv',
  header: 'csv',
  skipLines: 'csv',
  encoding: 'csv, xml, jsonl and text',
};

const keysOfFormat =
  (type: Type): KeyJudge =>
  (key, value, names) => {
    const [, owners] = Object.entries(csvOptions).find(([option]) => option === key) ?? [];
    if (owners !== undefined) return ignored(`has no effect with type ${type}: it is an option of ${owners}`);
    return unknownKey()(key, value, [...names, ...Object.keys(csvOptions)]);
  };

const csv: Codec<CsvFormat> = refine(
  'CsvFormat',
  record(
    'CsvFormatAsWritten',
    {
      type: always(constant('csv')),
      delimiter: withDefault(character('the delimiter'), ','),
      quote: always(quote),
      header: always(header),
      skipLines: withDefault(integerFrom(0), 0),
      encoding: optional(encoding),
    },
    keysOfFormat('csv'),
  ),
  (format, context) =>
    format.delimiter === format.quote
      ? expected('a delimiter that is not the quote', format.delimiter, context)
      : t.success(format),
);

const encoded = (type: 'xml' | 'jsonl' | 'text'): Codec<ResponseFormat> =>
  record(`Format-${type}`, { type: always(constant(type)), encoding: optional(encoding) }, keysOfFormat(type));

const FORMATS: Readonly<Record<Type, Codec<ResponseFormat>>> = {
  json: record('Format-json', { type: always(constant('json')) }, keysOfFormat('json')),
  xml: encoded('xml'),
  csv,
  jsonl: encoded('jsonl'),
  text: encoded('text'),
};

/** A word is short for an object with nothing but that type. */
const asWritten = (input: Input): Input => (typeof input === 'string' ? { type: input } : input);

/** `format` of a job or of `api.http`: a word, or an object with `type` and options. */
export const responseFormat: Codec<ResponseFormat> = choose(
  'ResponseFormat',
  () => ({}),
  (input, context) => {
    const isWord = typeof input === 'string';
    if (!isWord && !isObject(input))
      return expected(`one of ${TYPES.join(', ')}, or an object with "type"`, input, context);
    const type = isWord ? input : valueOf(input, 'type');
    const place = isWord ? context : t.appendContext(context, 'type', typeName, type);
    const known = typeName.validate(type, place);
    if (known._tag === 'Left') return known;
    const format = FORMATS[known.right];
    return t.success(
      codec(
        format.name,
        format.schema,
        (written, inner) => format.validate(asWritten(written), inner),
        (written, path) => (isWord ? [] : format.notes(written, path)),
      ),
    );
  },
);
