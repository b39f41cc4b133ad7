import { createRequire } from 'node:module';
import { FatalError } from '../errors';

/**
 * Loads a package that only one sink needs, and that is therefore installed by whoever uses that sink.
 *
 * @throws FatalError PACKAGE_MISSING which says what to install
 * @example const { Client } = await optionalPackage('postgres://', 'pg', () => import('pg'));
 */
export async function optionalPackage<T>(sink: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw missing(sink, name, cause);
  }
}

/**
 * Checks that a package is installed which is loaded only at the end of a run, so that its absence is reported at the start.
 *
 * @throws FatalError PACKAGE_MISSING
 * @example requirePackage('duckdb:', '@duckdb/node-api');
 */
export function requirePackage(sink: string, name: string): void {
  try {
    createRequire(__filename).resolve(name);
  } catch (cause) {
    throw missing(sink, name, cause);
  }
}

function missing(sink: string, name: string, cause: unknown): FatalError {
  const message = `${sink} needs the package ${name}, which is not installed. Install it: npm install ${name}`;
  return new FatalError('PACKAGE_MISSING', message, { cause });
}
