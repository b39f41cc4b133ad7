import { map, type Codec } from '../codec/codec';
import type { Component, ComponentManual, OptionFault } from '../codec/component';
import { optionsCodec } from '../codec/component';
import type { Fields, RecordOf } from '../codec/record';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import type { ItemReader } from '../../core/json/item-reader';
import type { Json, JsonObject } from '../../core/model';
import { named } from './errors';

/** A format with its options, as the rest of the engine knows it. */
export interface ChosenFormat {
  readonly name: string;
  /** The name in messages. */
  readonly label: string;
  /** The options with all defaults. */
  readonly options: object;
  /** True for JSON, whose items are found in the bytes of a body. */
  readonly isJson: boolean;
  /** True if a single item is alone where several would be an array, as in XML. */
  readonly singleStandsAlone: boolean;
  /** True if a truncated body is always unreadable. */
  readonly showsEnd: boolean;
  /** True if all items of a body have the same fields, as rows of a table do. */
  readonly hasColumns: boolean;
  /** The encoding of the bytes, which overrides the response. */
  readonly encoding?: string;
  /** The files to read in a zip archive. */
  readonly file?: string;
  /** Returns the encoding that the beginning of a body declares, with each byte as one character. */
  readonly declaredEncoding?: (beginning: string) => string | undefined;
  /** @throws Unreadable if the string does not have the form of the format */
  readonly read: (text: string) => Json;
  /**
   * @internal Reads a body that does not consist of characters, in place of `read`.
   * @throws Unreadable if the bytes do not have the form of the format
   */
  readonly readBytes?: (bytes: Uint8Array) => Json;
  /** @internal Reads a body as a stream. Absent if the format needs the whole body. */
  readonly stream?: (textOf: TextOf) => ItemReader;
}

/** Returns the string of some bytes of a body, in its encoding. */
export type TextOf = (bytes: Uint8Array) => string;

/** A content type whose bodies are read by a format if the configuration names none, and if they are not JSON. */
export interface KnownContentType<O> {
  /** Matches the content type in lower case, without its parameters. */
  readonly type: RegExp;
  /** Matches the beginning of such a body: a body that begins like JSON is broken JSON and nothing else. */
  readonly begins: RegExp;
  readonly options: O;
}

/** A content type with its format. */
export interface GuessedFormat extends Omit<KnownContentType<unknown>, 'options'> {
  readonly format: ChosenFormat;
}

/** A format of responses. */
export interface FormatDefinition<N extends string = string> extends Component<'format', N> {
  readonly label: string;
  /** The form of such a body, and its items, for its page of the manual. */
  readonly answer?: string;
  /** Other names, each with the options that it stands for. */
  readonly otherNames: Readonly<Record<string, JsonObject>>;
  /** @internal */
  readonly contentTypes: readonly GuessedFormat[];
  /**
   * @internal
   * @param policy the treatment of keys that are not options of the format
   */
  readonly codec: (policy: UnknownKeyPolicy) => Codec<ChosenFormat>;
}

/**
 * The parts of a format. An option `encoding` names the encoding of the bytes, and an option `file` the files to read
 * in a zip archive.
 */
export interface FormatParts<N extends string, F extends Fields> extends ComponentManual {
  readonly name: N;
  /** The name in messages, for example `JSON lines`; by default `name`. */
  readonly label?: string;
  readonly answer?: string;
  readonly options: F;
  /** Returns the faults of options that are each valid alone. */
  readonly check?: (options: RecordOf<F>) => readonly OptionFault[];
  readonly contentTypes?: readonly KnownContentType<RecordOf<F>>[];
  readonly otherNames?: Readonly<Record<string, JsonObject>>;
  /** True for JSON alone, whose bodies are read without this `read` if that is faster. */
  readonly isJson?: boolean;
  /** True if a single item is alone where several would be an array; by default a single item is in an array, too. */
  readonly singleStandsAlone?: boolean;
  /**
   * True if a truncated body is always unreadable, as with documents; by default it is readable if cut at the end of a
   * line.
   */
  readonly showsEnd?: boolean;
  /** True if all items of a body have the same fields, as rows of a table do; by default they may differ. */
  readonly hasColumns?: boolean;
  /** Returns the encoding that the beginning of a body declares, with each byte as one character. */
  readonly declaredEncoding?: (beginning: string) => string | undefined;
  /**
   * Returns the value of a body that is not blank.
   *
   * @throws Unreadable if the string does not have the form of the format
   */
  readonly read: (text: string, options: RecordOf<F>) => Json;
  /** @internal Returns the value of a body that does not consist of characters, in place of `read`. */
  readonly readBytes?: (bytes: Uint8Array, options: RecordOf<F>) => Json;
  /** @internal Reads a body as a stream, with the same items as `read`. */
  readonly stream?: (options: RecordOf<F>, textOf: TextOf) => ItemReader;
}

/**
 * Defines a format of responses (docs/language/responses.md#formats). Its name is in `format` of a job or of
 * `api.http`, or in `format.type` next to its options.
 *
 * @returns the definition, for the registry or for the option `components`
 * @example
 * defineFormat({
 *   name: 'lines',
 *   options: {},
 *   read: (text) => text.split('\n'),
 * });
 */
export function defineFormat<const N extends string, F extends Fields>(
  parts: FormatParts<N, F>,
): FormatDefinition<N> & Pick<FormatParts<N, F>, 'read'> {
  const { name, options: fields } = parts;
  const {
    label = name,
    check,
    read,
    contentTypes = [],
    otherNames = {},
    isJson = false,
    singleStandsAlone = false,
    showsEnd = false,
    hasColumns = false,
    declaredEncoding,
    readBytes,
    stream,
    ...manual
  } = named({ kind: 'format', name }, parts);
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
    ...manual,
    label,
    otherNames,
    contentTypes: contentTypes.map(({ type, begins, options }) => ({ type, begins, format: chosen(options) })),
    codec: (policy) => map(name, optionsCodec(name, fields, { selector: 'type', policy }, check), chosen),
    read,
  };
}
