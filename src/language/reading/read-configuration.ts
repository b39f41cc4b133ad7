/** Reads configurations from files: JSON with comments, YAML, and modules (docs/language/files.md). */
import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathText } from '../codec/finding';
import { ConfigurationError, FatalError } from '../../core/errors/errors';
import type { Json, JsonObject } from '../../core/model';
import { readJsonText } from './json';
import { mergeParts } from './merge-parts';
import { namesParts, partsOf, isModule, readModule } from './parts';
import type { Part, ReadPart } from './parts';
import { keysOfPath, UnreadableText, unreadableAt } from './source';
import type { FilePlace, Source } from './source';
import { readYamlText } from './yaml';

/** Options of reading. */
export interface ReadOptions {
  /** A signal that ends the wait for standard input. */
  readonly signal?: AbortSignal;
}

/** A configuration that was read from a file. */
export interface ReadConfiguration {
  /** The content of the file, as input for `extract`. */
  readonly configuration: unknown;
  /** The name of the file in messages. */
  readonly name: string;
  /** All files that were read: this one and its parts. Empty for standard input. */
  readonly files: readonly string[];
  /** Returns the place of a path in the file; `undefined` for a module. */
  readonly placeOf: (path: string) => FilePlace | undefined;
  /**
   * Returns the error with the place in the file before each fault, `stations.yaml:12:5 config.jobs[0].endpoint: …`;
   * any other error, and errors of standard input, stay as they are.
   */
  readonly located: (error: unknown) => unknown;
}

/**
 * Reads a configuration: YAML (`.yaml`, `.yml`), JSON with comments (`.json`, `.jsonc`), or a module (`.js`, `.mjs`,
 * `.cjs`, `.ts`) whose default export is a configuration or a function that gives one. Anything else, and `-` for
 * standard input, is JSON if it begins with a bracket, and YAML otherwise.
 *
 * The files named in `extends` are read and merged first (docs/language/files.md#parts).
 *
 * @throws FatalError CONFIG_UNREADABLE with line and column, never with the text, which may hold secrets
 * @example
 * const { configuration, located } = await readConfiguration('stations.yaml');
 * extract(configuration).items$.subscribe(console.log);
 */
export async function readConfiguration(path: string, options: ReadOptions = {}): Promise<ReadConfiguration> {
  const readPart = (file: string): Promise<Part> => readFileOf(file, options);
  return configurationOf(await readPart(path), readPart);
}

/** A configuration with the origins of its values in its files. */
export interface ReadParts extends ReadConfiguration {
  /** Returns the file in which a path of the configuration was written, and the path there. */
  readonly originOf: (path: string) => { readonly file: string; readonly path: string };
  /** The content of each file alone, in the order of merging: the file itself is the last one. */
  readonly values: readonly unknown[];
  /** The merged content of the files that this one extends; absent if there are none. */
  readonly beneath?: PartsBeneath;
}

/** The merged content of parts. */
export type PartsBeneath = Pick<ReadParts, 'configuration' | 'placeOf' | 'originOf'>;

/**
 * Reads a configuration from a string, for example the content of an editor; its parts are read from their files.
 *
 * @param path the path of the text: the files that it extends are relative to it
 * @throws FatalError CONFIG_UNREADABLE with line and column, never with the text, which may hold secrets
 * @example (await readConfigurationText('stations.yaml', 'extends: ./base.yaml')).configuration
 */
export const readConfigurationText = (path: string, content: string): Promise<ReadParts> =>
  configurationOf(partOf(path, path, content), (file) => readFileOf(file, {}));

async function configurationOf(first: Part, readPart: ReadPart): Promise<ReadParts> {
  const { path, name } = first;
  if (!namesParts(first.value)) {
    const placeOf = (place: string): FilePlace | undefined => placed(first, keysOfPath(place));
    const isFile = path !== '-' && !isModule(path);
    return {
      ...{ configuration: first.value, name, placeOf, files: filesOf([first]), values: [first.value] },
      originOf: (place) => ({ file: path, path: place }),
      located: (error) => (isFile ? located(error, (place) => textOfPlace(path, placeOf(place))) : error),
    };
  }
  const parts = await partsOf(first, readPart);
  const { configuration, partAt, ...whole } = laidUpon(parts, first);
  const beneath = parts.slice(0, -1);
  return {
    ...{ configuration, name, ...whole, files: filesOf(parts), values: parts.map(({ value }) => value) },
    ...(beneath.length === 0 ? {} : { beneath: laidUpon(beneath, first) }),
    located: (error) =>
      located(error, (path) => {
        const { part, keys } = partAt(path);
        return textOfPlace(part.path, placed(part, keys)) ?? (part.path === '-' ? undefined : part.path);
      }),
  };
}

interface Laid extends PartsBeneath {
  readonly partAt: (path: string) => { readonly part: Part; readonly keys: readonly string[] };
}

/** Merges files to one configuration. */
function laidUpon(parts: readonly (Part & { readonly value: JsonObject })[], first: Part): Laid {
  const merged = mergeParts(parts.map(({ value }) => value));
  const partAt: Laid['partAt'] = (place) => {
    const { part: at, keys } = merged.originOf(keysOfPath(place));
    return { part: parts[at] ?? first, keys };
  };
  return {
    ...{ configuration: merged.value, partAt },
    placeOf: (path) => {
      const { part, keys } = partAt(path);
      return placed(part, keys);
    },
    originOf: (path) => {
      const { part, keys } = partAt(path);
      return { file: part.path, path: pathText(keys, part.value as Json) };
    },
  };
}

const filesOf = (parts: readonly Part[]): readonly string[] =>
  parts.map(({ path }) => path).filter((path) => path !== '-');

async function readFileOf(path: string, { signal }: ReadOptions): Promise<Part> {
  const name = path === '-' ? 'The configuration on standard input' : path;
  if (isModule(path)) {
    const value = await readModule(path).catch((error: unknown) => refuse(`${name} cannot be used`, error));
    return { path, name, value, placeOf: () => undefined };
  }
  return partOf(path, name, await textOf(path, name, signal));
}

function partOf(path: string, name: string, text: string): Part {
  const content = text.replace(/^\uFEFF/, '');
  const isJson = /\.jsonc?$/i.test(path) || (!/\.ya?ml$/i.test(path) && /^\s*(?:[{[]|\/[/*])/.test(content));
  return { path, name, ...read(isJson, content, name) };
}

function read(isJson: boolean, content: string, name: string): Source {
  try {
    return isJson ? readJsonText(content) : readYamlText(content);
  } catch (error) {
    return refuse(`${name} is not valid ${isJson ? 'JSON' : 'YAML'}`, error);
  }
}

function refuse(what: string, error: unknown): never {
  if (!(error instanceof UnreadableText)) throw error;
  throw new FatalError('CONFIG_UNREADABLE', `${what}: ${error.message}`, { cause: error });
}

async function textOf(path: string, name: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    if (path !== '-') return decoded(await readFile(path));
    if (signal !== undefined) addAbortSignal(signal, process.stdin);
    return decoded(await buffer(process.stdin));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isAddress = /^https?:\/\//i.test(path);
    const reason =
      cause instanceof UnreadableText
        ? message
        : isAddress
          ? 'it is the address of an API; headwater init ADDRESS writes a configuration of it'
          : (REASONS[code ?? ''] ?? String(cause));
    throw new FatalError('CONFIG_UNREADABLE', `${name} cannot be read: ${reason}`, { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

/** Decodes UTF-8. Other bytes are refused: they would become other characters, and would be sent. */
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const text = bytes.toString('utf8');
    throw unreadableAt(
      'it is no text in UTF-8: save it in that encoding; the first other byte is',
      text,
      text.indexOf('\uFFFD'),
    );
  }
}

/** Returns a place in a part; faults omit the key `parameters`. */
function placed({ value, placeOf }: Part, keys: readonly string[]): FilePlace | undefined {
  const isWrapped = typeof value === 'object' && value !== null && 'parameters' in value;
  const isInside = isWrapped && ['api', 'config', 'iterations', 'sshProxy', 'aws', 'cache'].includes(keys[0] ?? '');
  return placeOf(isInside ? ['parameters', ...keys] : keys);
}

const textOfPlace = (file: string, place: FilePlace | undefined): string | undefined =>
  place === undefined || file === '-' ? undefined : `${file}:${place.line}:${place.column}`;

function located(error: unknown, placeOf: (path: string) => string | undefined): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  return new ConfigurationError(
    error.faults.map((fault) => {
      const place = placeOf(fault.path);
      return place === undefined ? fault : { ...fault, path: `${place} ${fault.path}` };
    }),
  );
}
