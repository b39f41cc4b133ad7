import Module from 'node:module';
import { FatalError } from './errors';

/**
 * Requires from where this file is, which is a bundle of an application as well. No bundler follows it, not even one that knows
 * the name `createRequire`: what is optional is neither asked for nor packed by one.
 */
const fromHere = (): NodeJS.Require => Module.createRequire(__filename);

/**
 * Loads a package that few runs need, and that is therefore installed by whoever needs it.
 *
 * @param user who needs it, for the message: the scheme of a destination or an option
 * @throws FatalError PACKAGE_MISSING which says what to install
 * @example const { Client } = optionalPackage<typeof import('pg')>('postgres://', 'pg');
 */
export function optionalPackage<T>(user: string, name: string): T {
  try {
    // Whoever names a package knows its type.
    return fromHere()(name) as T;
  } catch (cause) {
    throw isMissing(cause, name) ? missing(user, name, cause) : cause;
  }
}

/**
 * Checks that a package is installed which is loaded only at the end of a run, so that its absence is reported at the start.
 *
 * @throws FatalError PACKAGE_MISSING
 * @example requirePackage('duckdb:', '@duckdb/node-api');
 */
export function requirePackage(user: string, name: string): void {
  try {
    fromHere().resolve(name);
  } catch (cause) {
    throw missing(user, name, cause);
  }
}

/** Not where a package is there and lacks something: what it lacks is named then. By its shape: it may come from another realm. */
function isMissing(cause: unknown, name: string): boolean {
  const { code, message = '' } = cause as Partial<NodeJS.ErrnoException>;
  return code === 'MODULE_NOT_FOUND' && message.startsWith(`Cannot find module '${name}'`);
}

function missing(user: string, name: string, cause: unknown): FatalError {
  const message = `${user} needs the package ${name}, which is not installed. Install it: npm install ${name}`;
  return new FatalError('PACKAGE_MISSING', message, { cause });
}
