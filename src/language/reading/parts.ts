/** The files of a configuration: those that it extends (docs/language/files.md#parts), and modules. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { FatalError } from '../../core/errors/errors';
import { isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { withoutUndefined } from '../../core/json/not-json';
import { objectOf } from '../../core/json/literals';
import type { Json, JsonObject } from '../../core/model';
import { UnreadableText } from './source';
import type { Source } from './source';
import { importFile } from '../../core/import-file';

/** One file, read. */
export interface Part extends Pick<Source, 'placeOf'> {
  /** The path as given; `-` is standard input. */
  readonly path: string;
  /** The name in messages. */
  readonly name: string;
  readonly value: unknown;
}

/** Reads one file. */
export type ReadPart = (path: string) => Promise<Part>;

const EXTENDS = 'extends';
const URL_LIKE = /^[a-z][a-z\d+.-]*:\/\//i;

/** Returns whether a configuration names parts. */
export const namesParts = (value: unknown): value is JsonObject =>
  isObject(value as Json) && Object.hasOwn(value as JsonObject, EXTENDS);

/**
 * Returns a configuration and the files that it extends, in the order in which they are merged: the last one is the
 * configuration itself. A file that several files extend occurs once, at its first use.
 *
 * @throws FatalError CONFIG_UNREADABLE for a file that extends itself, a URL, something that is not a configuration, or
 *   a module if the configuration is not a module itself
 */
export async function partsOf(
  first: Part,
  read: ReadPart,
): Promise<readonly (Part & { readonly value: JsonObject })[]> {
  const found = new Map<string, Part & { readonly value: JsonObject }>();
  const visit = async (part: Part, above: readonly Part[]): Promise<void> => {
    const value = objectIn(part);
    for (const { file: written, at } of filesIn(part, value)) {
      const path = isAbsolute(written) ? written : join(part.path === '-' ? '' : dirname(part.path), written);
      const chain = [...above, part];
      if (chain.some((one) => isSame(one.path, path))) throw unusable(part, circleOf(chain, path), at);
      if (isModule(path) && !isModule(part.path)) throw unusable(part, PROGRAM, at);
      if (!found.has(resolve(path))) await visit(await readFor(part, path, at), chain);
    }
    found.set(part.path === '-' ? '-' : resolve(part.path), { ...part, value: without(value) });
  };
  const readFor = (part: Part, path: string, at: readonly string[]): Promise<Part> =>
    read(path).catch((error: unknown) => {
      if (!(error instanceof FatalError) || error.cause instanceof UnreadableText) throw error;
      throw new FatalError(error.code, `${error.message}; ${nameAt(part, at)} extends it`, { cause: error });
    });
  await visit(first, []);
  return [...found.values()];
}

function objectIn(part: Part): JsonObject {
  const value = withoutUndefined(part.value) as Json;
  if (isObject(value)) return value;
  throw unusable(part, 'it is no object, and so no part of a configuration');
}

/** Returns the files that a part names, with their places in it. */
function filesIn(part: Part, value: JsonObject): readonly { readonly file: string; readonly at: readonly string[] }[] {
  const written = ownValue(value, EXTENDS) ?? [];
  const files = isList(written) ? written : [written];
  return files.map((file, index) => {
    const at = isList(written) ? [EXTENDS, String(index)] : [EXTENDS];
    if (typeof file !== 'string' || file === '' || file === '-')
      throw unusable(part, '"extends" names a file, or is a list of files', at);
    if (URL_LIKE.test(file)) throw unusable(part, '"extends" names files alone, and no URL: download it first', at);
    return { file, at };
  });
}

/** Returns the message for a document that names a module: its reader would not expect it to run code. */
const PROGRAM =
  '"extends" names a module, which is a program: only a module may extend one. Write the part as JSON or YAML, or this file as a module';

const isSame = (a: string, b: string): boolean => a !== '-' && resolve(a) === resolve(b);

const circleOf = (chain: readonly Part[], path: string): string =>
  `files extend each other in a circle: ${[...chain.map((one) => one.path), path].join(' → ')}`;

const without = (value: JsonObject): JsonObject =>
  objectOf(keysOf(value).flatMap((key) => (key === EXTENDS ? [] : [{ key, holder: value, from: key }])));

const unusable = (part: Part, why: string, at: readonly string[] = []): FatalError =>
  new FatalError('CONFIG_UNREADABLE', `${nameAt(part, at)} cannot be used: ${why}`);

/** Returns the file with the line and column of a place. */
function nameAt({ name, path, placeOf }: Part, at: readonly string[]): string {
  const place = path === '-' ? undefined : placeOf(at);
  return place === undefined ? name : `${name}:${place.line}:${place.column}`;
}

/** Returns whether a file is a module, by its name. */
export const isModule = (path: string): boolean => /\.[cm]?[jt]s$/.test(path);

/** The error codes of Node.js for TypeScript that it does not load. */
const NOT_LOADED: ReadonlySet<unknown> = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_NO_TYPESCRIPT',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
]);

/**
 * Loads a module whose default export is a configuration, or a function that gives one.
 *
 * @throws UnreadableText
 */
export async function readModule(path: string): Promise<unknown> {
  const exported = await importFile(path).catch(async (cause: unknown) => {
    const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
    const isTypeScript = /\.[cm]?ts$/.test(path);
    const isNotLoaded = NOT_LOADED.has(code) || /\.[cm]?ts\b.*Unknown file/.test(String(message));
    throw new UnreadableText(
      isTypeScript && code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
        ? 'it has TypeScript that Node.js does not run, such as enum or namespace. Write it otherwise, or compile it to JavaScript first'
        : isTypeScript && isNotLoaded
          ? `Node.js ${process.version} does not load this TypeScript. Use Node.js 22.18 or later, or compile it to JavaScript first`
          : `it cannot be loaded: ${String(cause)}${await placeIn(cause, path)}`,
      { cause },
    );
  });
  const chosen = defaultOf(exported);
  if (chosen === undefined) throw new UnreadableText('it has no default export: export default defineConfig({…})');
  try {
    return typeof chosen === 'function' ? await (chosen as () => unknown)() : chosen;
  } catch (cause) {
    throw new UnreadableText(`its default export throws: ${String(cause)}${await placeIn(cause, path)}`, { cause });
  }
}

/**
 * Returns the place of an error, if it is in the file itself: a stack names its lines, and the message of a syntax
 * error begins with one.
 */
async function placeIn(cause: unknown, path: string): Promise<string> {
  const { name, stack } = cause as { readonly name?: unknown; readonly stack?: unknown };
  const text = name === 'SyntaxError' ? await checked(path) : String(stack);
  const names = [resolve(path), pathToFileURL(resolve(path)).href];
  const line = text.split('\n').find((one) => names.some((each) => one.includes(`${each}:`))) ?? '';
  const [, row, column] = /:(\d+)(?::(\d+))?\)?$/.exec(line.trim()) ?? [];
  if (row === undefined) return '';
  return ` at line ${row}${column === undefined ? '' : `, column ${column}`}`;
}

/** Returns the message of Node.js about a file that it does not run: the error of an import does not name the line. */
const checked = (path: string): Promise<string> =>
  new Promise((done) => {
    execFile(process.execPath, ['--check', '--', path], { timeout: 10_000 }, (_, __, stderr) => done(stderr));
  });

/**
 * Returns the default export. A module in CommonJS has all its exports in its default export; a compiled ES module has
 * one more inside.
 */
function defaultOf(exported: unknown, depth = 0): unknown {
  if (typeof exported !== 'object' || exported === null || !('default' in exported))
    return depth === 0 ? undefined : exported;
  return depth > 1 ? exported : defaultOf(exported.default, depth + 1);
}
