import { stat } from 'node:fs/promises';
import { ConfigurationError, FatalError, partsOf } from '..';
import type { Part } from '..';
import { importFile } from '../core/import-file';

/**
 * Loads the user's own parts (`--components`): modules, CommonJS or ES, whose default export, or otherwise whose named exports are parts,
 * or arrays of them. Other exports, such as functions that the parts share, are ignored.
 *
 * @param paths relative to the working directory
 * @throws FatalError CONFIG_UNREADABLE when the file does not exist, when it throws, or when it exports no part or an incomplete one
 * @example await loadComponents(['parts.mjs'])
 */
export async function loadComponents(paths: readonly string[] = []): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const path of paths) {
    const found = await exportedBy(path);
    try {
      // Before this check they are parts by name alone.
      partsOf([...parts, ...(found as readonly Part[])]);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw unusable(path, `cannot be used: ${error.faults.map(({ message }) => message).join('; ')}.`, error);
    }
    parts.push(...(found as readonly Part[]));
  }
  return parts;
}

const unusable = (path: string, reason: string, cause?: unknown): FatalError =>
  new FatalError('CONFIG_UNREADABLE', `--components: ${path} ${reason}`, { cause });

async function exportedBy(path: string): Promise<readonly unknown[]> {
  const file = await stat(path).catch(() => undefined);
  if (file === undefined) throw unusable(path, 'cannot be loaded: there is no such file.');
  if (!file.isFile()) throw unusable(path, 'cannot be loaded: it is no file. Name a JavaScript module.');
  const exported = await importFile(path).catch((cause: unknown) => {
    throw unusable(path, `cannot be loaded. ${reasonOf(cause)}`, cause);
  });
  const parts = [...new Set(partsIn(exported))];
  if (parts.length > 0) return parts;
  throw unusable(path, 'exports no part. Export what defineFunction and the like of headwater/components give.');
}

/** Returns the reason with the line of the module, if the error contains it. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return `It throws: ${String(cause)}`;
  if (Reflect.get(cause, 'code') === 'ERR_UNKNOWN_FILE_EXTENSION')
    return `${String(cause)}. Name a JavaScript module (.js, .cjs, .mjs): TypeScript is compiled first.`;
  const line = placeIn(cause.stack ?? '');
  return line === undefined ? String(cause) : `${String(cause)} (${line})`;
}

/** Returns the place: a syntax error begins with it, `FILE:1`; other errors have it in the first frame outside of Node.js. */
const placeIn = (stack: string): string | undefined =>
  /^((?!node:)[^\n]+:\d+)\n/.exec(stack)?.[1] ??
  /^\s+at (?:[^\n]*\()?((?!node:)[^\n()]+:\d+:\d+)\)?$/m.exec(stack)?.[1];

/** Returns the exported parts. A CommonJS module has all its exports in its default export; a compiled ES module has another one in it. */
function partsIn(exported: unknown): readonly unknown[] {
  if (Array.isArray(exported)) return exported;
  if (!isObject(exported)) return [];
  if ('kind' in exported) return [exported];
  const chosen = 'default' in exported ? partsIn(exported.default) : [];
  return chosen.length > 0 ? chosen : Object.values(exported).flatMap(partOrParts);
}

const partOrParts = (value: unknown): readonly unknown[] =>
  Array.isArray(value) || (isObject(value) && 'kind' in value) ? [value].flat() : [];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
