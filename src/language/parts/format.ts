import { map, type Codec } from '../codec/codec';
import type { Component, ComponentManual, OptionFault } from '../codec/component';
import { optionsCodec } from '../codec/component';
import type { Fields, RecordOf } from '../codec/record';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import type { ItemReader } from '../../core/json/item-reader';
import type { Json, JsonObject } from '../../core/model';

/** A format with its options: what the rest of the engine knows of it. */
export interface ChosenFormat {
  readonly name: string;
  /** The name in messages. */
  readonly label: string;
  /** The options with all defaults. */
  readonly options: object;
  /** Whether it is JSON, whose items are found in the bytes of a body. */
  readonly isJson: boolean;
  /** Whether a single item stands where several would be an array, as in XML. */
  readonly singleStandsAlone: boolean;
  /** Whether a body that is cut off anywhere cannot be read. */
  readonly showsEnd: boolean;
  /** Whether all items of a body have the same fields, as rows of a table do. */
  readonly hasColumns: boolean;
  /** How bytes become characters, whatever the response says of it. */
  readonly encoding?: string;
  /** Which files of a zip archive are read. */
  readonly file?: string;
  /** What the beginning of a body, each byte as one character, says of its encoding. */
  readonly declaredEncoding?: (beginning: string) => string | undefined;
  /** @throws Unreadable when the string is not what the format says */
  readonly read: (text: string) => Json;
  /**
   * @internal Reads a body that is not made of characters, in place of `read`.
   * @throws Unreadable when the bytes are not what the format says
   */
  readonly readBytes?: (bytes: Uint8Array) => Json;
  /** @internal Reads a body that is not held: absent where the format has to see all of it. */
  readonly stream?: (textOf: TextOf) => ItemReader;
}

/** The string of some bytes of a body, in its encoding. */
export type TextOf = (bytes: Uint8Array) => string;

/**
 * Bodies of a content type that are read by a format where the configuration names none, and where they are no JSON.
 */
export interface KnownContentType<O> {
  /** Matches the content type in lower case, without its parameters. */
  readonly type: RegExp;
  /** How the beginning of such a body looks: what begins like JSON is broken JSON and nothing else. */
  readonly begins: RegExp;
  readonly options: O;
}

/** A content type with the format that it stands for. */
export interface GuessedFormat extends Omit<KnownContentType<unknown>, 'options'> {
  readonly format: ChosenFormat;
}

/** A format of responses. */
export interface FormatDefinition<N extends string = string> extends Component<'format', N> {
  readonly label: string;
  /** What such a body looks like, and which items it has. */
  readonly answer: string;
  /** Other words for it, each with the options that make it that. */
  readonly otherNames: Readonly<Record<string, JsonObject>>;
  /** @internal */
  readonly contentTypes: readonly GuessedFormat[];
  /**
   * @internal
   * @param policy says what becomes of keys that are no options of the format
   */
  readonly codec: (policy: UnknownKeyPolicy) => Codec<ChosenFormat>;
}

/**
 * What a format is made of. An option called `encoding` says how the bytes of a body become a string, one called `file` which
 * files of a zip archive are read.
 */
export interface FormatParts<N extends string, F extends Fields> extends ComponentManual {
  readonly name: N;
  /** The name in messages, for example `JSON lines`. */
  readonly label: string;
  readonly answer: string;
  readonly options: F;
  /** What is wrong with options that are right each by itself. */
  readonly check?: (options: RecordOf<F>) => readonly OptionFault[];
  readonly contentTypes?: readonly KnownContentType<RecordOf<F>>[];
  readonly otherNames?: Readonly<Record<string, JsonObject>>;
  /** True for JSON alone, whose bodies are read without this `read` where that is faster. */
  readonly isJson?: boolean;
  /** Whether a single item stands where several would be an array; default: it stands in an array as well. */
  readonly singleStandsAlone?: boolean;
  /** Whether a body that is cut off anywhere cannot be read, as with documents; default: at the end of a line it can. */
  readonly showsEnd?: boolean;
  /** Whether all items of a body have the same fields, as rows of a table do; default: they need not. */
  readonly hasColumns?: boolean;
  /** What the beginning of a body, each byte as one character, says of its encoding. */
  readonly declaredEncoding?: (beginning: string) => string | undefined;
  /**
   * The value of a body, which is not blank.
   *
   * @throws Unreadable when the string is not what the format says
   */
  readonly read: (text: string, options: RecordOf<F>) => Json;
  /** @internal The value of a body that is not made of characters, in place of `read`. */
  readonly readBytes?: (bytes: Uint8Array, options: RecordOf<F>) => Json;
  /** @internal Reads a body that is not held, of the same items as `read`. */
  readonly stream?: (options: RecordOf<F>, textOf: TextOf) => ItemReader;
}

/**
 * Defines a format of responses (docs/extensions/response-formats.md). Its name stands in `format` of a job or of
 * `api.http`, or in `format.type` beside its options.
 *
 * @returns the definition, for the registry or for the option `components`
 * @example
 * defineFormat({
 *   name: 'lines',
 *   label: 'lines',
 *   summary: 'Reads a body as lines: an array of strings.',
 *   use: 'The API answers with one value a line.',
 *   answer: 'Lines; each is an item.',
 *   options: {},
 *   rules: ['Empty lines are items, too.'],
 *   example,
 *   read: (text) => text.split('\n'),
 * });
 */
export function defineFormat<const N extends string, F extends Fields>(
  parts: FormatParts<N, F>,
): FormatDefinition<N> & Pick<FormatParts<N, F>, 'read'> {
  const { name, label, summary, use, answer, options: fields, rules, example, check, read } = parts;
  const {
    contentTypes = [],
    otherNames = {},
    isJson = false,
    singleStandsAlone = false,
    showsEnd = false,
    hasColumns = false,
    declaredEncoding,
    readBytes,
    stream,
  } = parts;
  const chosen = (options: RecordOf<F>): ChosenFormat => {
    const { encoding, file } = options as { readonly encoding?: unknown; readonly file?: unknown };
    return {
      name,
      label,
      options,
      isJson,
      singleStandsAlone,
      showsEnd,
      hasColumns,
      ...(typeof encoding === 'string' ? { encoding } : {}),
      ...(typeof file === 'string' ? { file } : {}),
      ...(declaredEncoding === undefined ? {} : { declaredEncoding }),
      read: (text) => read(text, options),
      ...(readBytes === undefined ? {} : { readBytes: (bytes) => readBytes(bytes, options) }),
      ...(stream === undefined ? {} : { stream: (textOf) => stream(options, textOf) }),
    };
  };
  return {
    kind: 'format',
    name,
    label,
    summary,
    use,
    answer,
    rules,
    example,
    options: fields,
    otherNames,
    contentTypes: contentTypes.map(({ type, begins, options }) => ({ type, begins, format: chosen(options) })),
    codec: (policy) => map(name, optionsCodec(name, fields, { selector: 'type', policy }, check), chosen),
    read,
  };
}
