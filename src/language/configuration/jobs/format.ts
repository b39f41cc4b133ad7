/**
 * How a job reads its responses: `format`; `stream`, for responses that are too large to hold in memory; and `rows` (docs/language/rows.md),
 * by which the value at `dataField` is made rows where it is no list of objects.
 */
import { isLeft } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import { entriesOf, isObject } from '../../../core/json/objects';
import { stringifyJson } from '../../../core/json/stringify';
import type { Json } from '../../../core/model';
import { choose, codec, expected, refuse, unknownWord } from '../../codec/codec';
import type { Codec, Input } from '../../codec/codec';
import { constant, integerFrom, valueOf, dictionary, flag, list, string, text } from '../../codec/primitives';
import { fieldsSchema, optional, record, required, always } from '../../codec/record';
import { ignored, mistaken, unknownKey } from '../../codec/unknown-key';
import { named, tolerant } from '../../codec/schema';
import type { Schema } from '../../codec/schema';
import type { UnknownKeyPolicy } from '../../codec/unknown-key';
import type { ChosenFormat, FormatDefinition } from '../../parts/format';
import type { Parts } from '../../parts/parts';
import { path, pathNotes } from '../../codec/values';

type Formats = Parts['format'];

/** Returns the codec of a format's name; the name of a format in other tools gets a suggestion. */
const byType = (formats: Formats): Codec<FormatDefinition> =>
  codec('FormatType', { enum: [...formats.keys()] }, (input, context) => {
    const format = typeof input === 'string' ? formats.get(input) : undefined;
    if (format !== undefined) return t.success(format);
    const names = [...formats.keys()];
    const hint = typeof input === 'string' ? hintFor(input.toLowerCase(), formats) : undefined;
    return hint === undefined
      ? unknownWord(names, input, context)
      : refuse(input, context, `expected one of ${names.join(', ')}, found ${JSON.stringify(input)}; ${hint}`);
  });

function hintFor(word: string, formats: Formats): string | undefined {
  const meant = [...formats.values()].find(({ otherNames }) => Object.hasOwn(otherNames, word));
  const options = meant?.otherNames[word];
  if (meant === undefined || options === undefined) return undefined;
  return Object.keys(options).length === 0
    ? `did you mean "${meant.name}"?`
    : `write ${written([['type', meant.name], ...entriesOf(options)])}`;
}

/** Returns JSON as people write it, on one line. */
const written = (members: readonly (readonly [string, Json])[]): string =>
  `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${stringifyJson(value)}`).join(', ')}}`;

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

/** Options that have another name in other formats. */
const TWINS: Readonly<Record<string, string>> = { skipLines: 'skipRows', skipRows: 'skipLines' };

const keysOfFormat =
  (type: string, formats: Formats): UnknownKeyPolicy =>
  (key, value, names) => {
    const all = [...formats.values()];
    const owners = all.filter(({ options }) => Object.hasOwn(options, key)).map(({ name }) => name);
    const twin = TWINS[key];
    if (owners.length > 0 && twin !== undefined && names.includes(twin))
      return mistaken(`has no effect with type ${type}: it is an option of ${listed(owners)}; did you mean "${twin}"?`);
    if (owners.length > 0) return ignored(`has no effect with type ${type}: it is an option of ${listed(owners)}`);
    return unknownKey()(key, value, [...new Set([...names, ...all.flatMap(({ options }) => Object.keys(options))])]);
  };

/** Expands a word, which is short for an object with only that type. */
const asWritten = (input: Input): Input => (typeof input === 'string' ? { type: input } : input);

/** `format` of a job or of `api.http`: a word, or an object with `type` and options. */
export const responseFormat = ({ format: formats }: Parts): Codec<ChosenFormat> =>
  choose(
    'ResponseFormat',
    () => named('format', () => anyFormat(formats)),
    (input, context) => {
      const isWord = typeof input === 'string';
      if (!isWord && !isObject(input))
        return expected(`one of ${[...formats.keys()].join(', ')}, or an object with "type"`, input, context);
      const type = isWord ? input : valueOf(input, 'type');
      const typeName = byType(formats);
      const known = typeName.validate(type, isWord ? context : t.appendContext(context, 'type', typeName, type));
      if (isLeft(known)) return known;
      const { name, codec: codecOf } = known.right;
      const format = codecOf(keysOfFormat(name, formats));
      return t.success(
        codec(
          format.name,
          format.schema,
          (read, inner) => format.validate(asWritten(read), inner),
          (read, path) => (isWord ? [] : format.notes(read, path)),
        ),
      );
    },
  );

/** Returns the schema of a format: a word, or one branch for each format, selected by the word in `type`. */
function anyFormat(formats: Formats): Schema {
  const branches = Array.from(formats, ([name, { options }]): Schema => {
    const type = required(constant(name), 'the name of the format', { about: 'The format.', example: name });
    return named(`format.${name}`, () => fieldsSchema({ type, ...options }));
  });
  return { anyOf: [{ enum: [...formats.keys()] }, ...branches] };
}

/** Options for a response that is too large to hold in memory (docs/language/large-responses.md). */

export interface StreamOptions {
  /** The most items of a page; if absent, only bytes are counted. */
  readonly pageItems?: number;
}

const withItems = record('StreamObject', {
  pageItems: optional(integerFrom(1), {
    about: 'The most items of a page; a page is full with 1 MiB in any case.',
    example: 10000,
  }),
});

/** `stream` of a job: `true`, or an object with options. */
export const stream: Codec<StreamOptions | undefined> = codec(
  'Stream',
  () => tolerant({ anyOf: [{ type: 'boolean' }, withItems.schema()] }, { type: 'null' }),
  (input, context) => {
    if (input === undefined || input === null || input === false || input === '' || input === 0)
      return t.success<StreamOptions | undefined>(undefined);
    if (input === true) return t.success<StreamOptions | undefined>({});
    return isObject(input)
      ? withItems.validate(input, context)
      : expected('true, false, or an object with "pageItems"', input, context);
  },
  (input, path) => (isObject(input) ? withItems.notes(input, path) : []),
);

/** `rows` as written: the plan knows what goes together (plan/jobs/shaping.ts). */
export interface Rows {
  readonly keys?: string;
  readonly names?: readonly string[] | string;
  readonly header: boolean;
  readonly columns: boolean;
  readonly add: Readonly<Record<string, string>>;
}

const someNames = list(text, 'an array of names');
const names: Codec<readonly string[] | string> = codec(
  'RowNames',
  () => ({ anyOf: [string.schema(), someNames.schema()] }),
  (input, context): t.Validation<readonly string[] | string> =>
    typeof input === 'string' ? text.validate(input, context) : someNames.validate(input, context),
  (input, at) => (typeof input === 'string' ? pathNotes(input, at) : []),
);

/** The codec of `rows`. */
export const rows: Codec<Rows> = record('Rows', {
  keys: optional(text, {
    about: 'The value is an object, each of whose members is a row; its key stands in the column of this name.',
    example: 'id',
  }),
  names: optional(names, {
    about: 'Each row is an array: the names of its elements, or the path of these names in the response.',
    example: ['time', 'value'],
  }),
  header: always(flag(false), {
    about: 'Whether each row is an array, and the first one has the names.',
    example: true,
  }),
  columns: always(flag(false), {
    about: 'Whether the value is an object of arrays, each of which is a column; other members stand on each row.',
    example: true,
  }),
  add: always(dictionary(path, true), {
    about: 'Members of the response that stand on each row: their paths, by the names of their columns.',
    example: { symbol: 'meta.symbol' },
  }),
});
