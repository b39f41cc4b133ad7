/** The files of the page, which the build has made: a fixed list, so that no path leads anywhere else. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '/': 'text/html; charset=utf-8',
  '/studio.js': 'text/javascript; charset=utf-8',
  '/studio.css': 'text/css; charset=utf-8',
  '/icon.svg': 'image/svg+xml',
};
const NONCE = '{{nonce}}';

/** A file, and its content type. */
export interface StaticFile {
  readonly type: string;
  readonly content: Buffer | string;
}

/**
 * @param path of the address, without its query
 * @param nonce stands in the page where the editor looks for it
 * @returns `undefined` for a path that is none of the page
 * @example await staticFile(folder, '/studio.css', '')
 */
export async function staticFile(folder: string, path: string, nonce: string): Promise<StaticFile | undefined> {
  const type = Object.hasOwn(TYPES, path) ? TYPES[path] : undefined;
  if (type === undefined) return undefined;
  const content = await readFile(join(folder, path === '/' ? 'index.html' : path.slice(1)));
  return { type, content: path === '/' ? content.toString('utf8').replaceAll(NONCE, nonce) : content };
}
