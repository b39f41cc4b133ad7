import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importFile } from '../../core/import-file';
import { UnreadableText } from './source';

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
