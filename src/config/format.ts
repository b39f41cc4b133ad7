import * as t from 'io-ts';
import { isList, isObject } from '../json/keys';
import { choose, codec, expected, refine, type Codec, type Input } from './codec';
import type { CsvFormat, ResponseFormat } from './configuration';
import { constant, integerFrom, isMissing, list, string, valueOf } from './primitives';
import { always, optional, record, withDefault } from './record';
import { didYouMean } from './suggest';
import { unknownKey, type Strangers } from './unknown-key';

const TYPES = ['json', 'xml', 'csv', 'jsonl', 'text'] as const;
type Type = (typeof TYPES)[number];

/** Other names of formats, and what to write. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ndjson: '; did you mean "jsonl"?',
  jsonlines: '; did you mean "jsonl"?',
  'json-lines': '; did you mean "jsonl"?',
  tsv: '; write {"type": "csv", "delimiter": "\\t"}',
};

const typeName: Codec<Type> = codec('FormatType', (input, context) => {
  const type = TYPES.find((candidate) => candidate === input);
  if (type !== undefined) return t.success(type);
  const hint = typeof input === 'string' ? (OTHER_NAMES[input.toLowerCase()] ?? didYouMean(input, TYPES)) : '';
  return expected(`one of ${TYPES.join(', ')}`, input, context, hint);
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
const quote: Codec<string> = codec('Quote', (input, context) => {
  if (isMissing(input)) return t.success('"');
  return input === '' || input === false ? t.success('') : quoteMark.validate(input, context);
});

const headerNames: Codec<readonly string[]> = refine('HeaderNames', list(string), (names, context) => {
  const twice = names.find((name, at) => names.indexOf(name) < at);
  return twice === undefined ? t.success(names) : expected('names that differ', twice, context);
});
const header: Codec<CsvFormat['header']> = codec('Header', (input, context): t.Validation<CsvFormat['header']> => {
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

const strangersOf =
  (type: Type): Strangers =>
  (key, value, names) =>
    key in csvOptions
      ? `has no effect with type ${type}: it is an option of ${csvOptions[key as keyof typeof csvOptions]}`
      : unknownKey()(key, value, names);

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
    strangersOf('csv'),
  ),
  (format, context) =>
    format.delimiter === format.quote
      ? expected('a delimiter that is not the quote', format.delimiter, context)
      : t.success(format),
);

const encoded = (type: 'xml' | 'jsonl' | 'text'): Codec<ResponseFormat> =>
  record(`Format-${type}`, { type: always(constant(type)), encoding: optional(encoding) }, strangersOf(type));

const FORMATS: Readonly<Record<Type, Codec<ResponseFormat>>> = {
  json: record('Format-json', { type: always(constant('json')) }, strangersOf('json')),
  xml: encoded('xml'),
  csv,
  jsonl: encoded('jsonl'),
  text: encoded('text'),
};

/** A word is short for an object with nothing but that type. */
const asWritten = (input: Input): Input => (typeof input === 'string' ? { type: input } : input);

/** `format` of a job or of `api.http`: a word, or an object with `type` and options. */
export const responseFormat: Codec<ResponseFormat> = choose('ResponseFormat', (input, context) => {
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
      (written, inner) => format.validate(asWritten(written), inner),
      (written, path) => (isWord ? [] : format.notes(written, path)),
    ),
  );
});
