import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the project. */
export const ROOT = join(__dirname, '..', '..');

const DIST = join(ROOT, 'dist');

/**
 * A file of the built package, for specs of what is published.
 *
 * @param path below `dist`
 * @throws Error that says what to do when the package has not been built
 */
export function needsBuild(path = 'index.js'): string {
  const file = join(DIST, path);
  if (existsSync(file)) return file;
  throw new Error(`This spec runs the built package, and dist/${path} is not there. Run: npm run build`);
}
