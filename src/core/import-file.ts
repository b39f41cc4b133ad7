import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Imports a file of JavaScript, in either format of modules.
 *
 * @returns its exports
 * @throws what the file throws, and what Node.js throws if it cannot load it
 * @example await importFile('parts.mjs') // { default: … }
 */
export const importFile = (path: string): Promise<unknown> => import(pathToFileURL(resolve(path)).href);
