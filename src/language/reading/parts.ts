/** Reads the files of a configuration (docs/language/files.md#parts). */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { withoutUndefined } from '../../core/json/not-json';
import { objectOf } from '../../core/json/literals';
import type { Json, JsonObject } from '../../core/model';
import { UnreadableText } from './source';
import { isModule } from './module';
import type { Source } from './source';

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
