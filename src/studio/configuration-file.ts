/** The one file that the studio reads and writes. */
import { getNodeValue, parseTree } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';
import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isPair, isScalar, parseDocument, visit } from 'yaml';
import { FatalError } from '..';
import type { Json } from '..';
import { readJsonText } from '../language/reading/json';
import { isModule } from '../language/reading/parts';
import { UnreadableText } from '../language/reading/source';
import { readYamlText } from '../language/reading/yaml';
import { isReference } from '../language/references/reference';
import { RefusedRequest } from './replies';

/** A text and its version. */
export interface FileContent {
  readonly text: string;
  /** A digest; absent if the file does not exist. */
  readonly version?: string;
}

const MOST_BYTES = 2_000_000;

/**
 * @throws RefusedRequest NOT_READABLE
 * @example (await readConfiguration('rivers.json')).text
 */
export async function readConfiguration(path: string): Promise<FileContent> {
  try {
    if ((await stat(path)).size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
    return { text, version: versionOf(text) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { text: '' };
    throw new RefusedRequest(422, 'NOT_READABLE', `${basename(path)} cannot be read: ${message}.`);
  }
}

/**
 * Replaces the file in one step. It keeps its mode; a new one is only for its owner, since it may contain secrets.
 *
 * @param version the version that the user has seen: a file that was changed elsewhere meanwhile stays
 * @throws RefusedRequest FILE_CHANGED
 */
export async function saveConfiguration(path: string, text: string, version: string | undefined): Promise<FileContent> {
  const found = await readConfiguration(path);
  if (found.version !== version)
    throw new RefusedRequest(
      409,
      'FILE_CHANGED',
      `${basename(path)} has been changed by another program. Reload to see what it says now; copy your changes before.`,
    );
  // A link stays a link: its target is replaced.
  const target = version === undefined ? path : await realpath(path);
  const mode = version === undefined ? 0o600 : (await stat(target)).mode & 0o777;
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.new`);
  // Never an existing file or link of someone else.
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await writeAll(handle, text, mode).finally(() => handle.close());
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return { text, version: versionOf(text) };
}

async function writeAll(handle: FileHandle, text: string, mode: number): Promise<void> {
  await handle.writeFile(text);
  await handle.chmod(mode);
  await handle.sync();
}

const versionOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** The language of a configuration: JSON with comments, or YAML. */
export type Language = 'json' | 'yaml';

/** A scalar at a place in a string; `end` is the offset after it. */
export interface WrittenScalar {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/**
 * Returns the language of a file, by its name.
 *
 * @throws FatalError CONFIG_UNREADABLE for a module, which is a program
 */
export function languageOf(path: string): Language {
  if (!isModule(path)) return /\.ya?ml$/i.test(path) ? 'yaml' : 'json';
  const message = `${path} is a module: the studio writes JSON and YAML. Name a .yaml or .json file; it may extend the module.`;
  throw new FatalError('CONFIG_UNREADABLE', message);
}

/**
 * Returns the value of a string, as a run reads it.
 *
 * @throws RefusedRequest NOT_READABLE with line and column, never with the text, which may contain secrets
 * @example valueOf('{"api": {}} // mine', 'json')
 */
export function valueOf(text: string, language: Language): Json {
  if (text.trim() === '') throw unreadable('it is empty: begin with the address of an API');
  try {
    return (language === 'yaml' ? readYamlText : readJsonText)(text).value;
  } catch (error) {
    throw error instanceof UnreadableText ? unreadable(error.message) : refusedDepth(error);
  }
}

/** Returns the error for a text that is nested too deeply for the recursion of the parser. */
const refusedDepth = (error: unknown): unknown =>
  error instanceof RangeError ? unreadable('it is nested too deeply') : error;

const unreadable = (what: string): RefusedRequest =>
  new RefusedRequest(422, 'NOT_READABLE', `The configuration cannot be read: ${what}.`);

/**
 * Returns the scalars below keys that begin with `#`, whatever is wrong with the text around them, except names of variables and files.
 *
 * @throws RefusedRequest NOT_READABLE for a text that is nested too deeply, since its secrets cannot be found
 */
export function secretScalars(text: string, language: Language): readonly WrittenScalar[] {
  try {
    return language === 'yaml'
      ? secretsOfYaml(text)
      : secretsOfJson(parseTree(text, [], { allowTrailingComma: true }), false);
  } catch (error) {
    throw refusedDepth(error);
  }
}

function secretsOfJson(node: Node | undefined, isSecret: boolean): readonly WrittenScalar[] {
  if (node === undefined) return [];
  if (node.type === 'property') {
    const [key, value] = node.children ?? [];
    return secretsOfJson(value, isSecret || String(key?.value).startsWith('#'));
  }
  if (node.type === 'object' && isReference(getNodeValue(node) as Json)) return [];
  if (node.children !== undefined) return node.children.flatMap((child) => secretsOfJson(child, isSecret));
  return isSecret ? [{ start: node.offset, end: node.offset + node.length, value: String(node.value) }] : [];
}

function secretsOfYaml(text: string): readonly WrittenScalar[] {
  const found: WrittenScalar[] = [];
  const document = parseDocument(text, { uniqueKeys: false });
  visit(document, {
    Map: (_, node) => (isReference(node.toJS(document) as Json) ? visit.SKIP : undefined),
    Scalar: (key, node, path) => {
      const isBelow = path.some((each) => isPair(each) && isScalar(each.key) && String(each.key.value).startsWith('#'));
      if (key === 'key' || !isBelow || node.range === null || node.range === undefined) return;
      const [start, end] = node.range;
      found.push({ start, end: start + text.slice(start, end).trimEnd().length, value: String(node.value) });
    },
  });
  return found;
}
