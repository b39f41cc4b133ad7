/** Values from outside of a configuration: the environment, and files (docs/language/secrets.md). */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { didYouMean } from './codec/finding';
import type { Found, Reference } from './references/reference';
import { FatalError } from '../core/errors/errors';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The sources of the values of `{"env": …}` and `{"file": …}` in a configuration. */
export interface EnvironmentOptions {
  /**
   * The variables that `{"env": "TOKEN"}` may name; by default the variables of the process. With `false`, such objects
   * and those with `file` are ordinary objects: use it for a configuration whose author may not read what the process
   * may read.
   */
  readonly env?: Environment | false;
  /** True if `{"file": "/run/secrets/token"}` reads files; default `true`, or `false` if `env` is given. */
  readonly secretFiles?: boolean;
  /**
   * More values that must not be printed, such as secrets of other configurations in the same program: `secretsOf`
   * returns them.
   */
  readonly secrets?: readonly string[];
}

/** Returns these options without any others. */
export const environmentIn = ({ env, secretFiles, secrets }: EnvironmentOptions): EnvironmentOptions => ({
  ...(env === undefined ? {} : { env }),
  ...(secretFiles === undefined ? {} : { secretFiles }),
  ...(secrets === undefined ? {} : { secrets }),
});

/** The most bytes of a file with a value. */
const MOST_BYTES = 1024 * 1024;

/** Returns a function that returns the value of a reference, or the reason why there is none, without quoting it. */
export const lookIn =
  (env: Environment, readsFiles: boolean) =>
  ({ source, name }: Reference): Found => {
    if (source === 'env') return ofVariable(env, name);
    return readsFiles ? ofFile(name) : { fault: 'no files may be read here: the option secretFiles does not allow it' };
  };

function ofVariable(env: Environment, name: string): Found {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && value !== '') return { value };
  const called = isName(name) ? `the environment variable ${name}` : 'the environment variable that it names';
  const nameable = isName(name) ? { called: name } : {};
  if (value === '') return { fault: `${called} is empty`, ...nameable };
  const known = Object.keys(env).filter((other) => isName(other) && env[other] !== '');
  return { fault: `${called} is not set${isName(name) ? didYouMean(name, known) : ''}`, ...nameable };
}

/**
 * Returns whether a name looks like the name of a variable. Any other name may be the secret itself in the wrong place,
 * and is not shown.
 */
const isName = (name: string): boolean => /^_{0,2}[A-Za-z]{1,20}\d{0,2}(?:_+[A-Za-z]{0,20}\d{0,2})*$/.test(name);

const isPath = (name: string): boolean => /^(?:\.{0,2}[\\/]|[A-Za-z]:[\\/])/.test(name) && name.length <= 200;

function ofFile(path: string): Found {
  const called = isPath(path) ? `the file ${path}` : 'the file that it names';
  const wrong = (why: string): Found => ({ fault: `${called} ${why}`, ...(isPath(path) ? { called: path } : {}) });
  try {
    const file = openSync(path, 'r');
    try {
      if (fstatSync(file).isDirectory()) return wrong('is a folder');
      const bytes = readAtMost(file, MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) return wrong(`has more than ${MOST_BYTES} bytes`);
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
      return text === '' ? wrong('is empty') : { value: text };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return wrong(reasonOf(error));
  }
}

/** Reads a file up to a limit: a pipe or an endless device reports no size. */
function readAtMost(file: number, most: number): Buffer {
  const buffer = Buffer.alloc(most);
  let length = 0;
  for (;;) {
    const read = readSync(file, buffer, length, most - length, null);
    length += read;
    if (read === 0 || length === most) return buffer.subarray(0, length);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a folder',
  ENOTDIR: 'cannot exist: a part of its path is no folder',
};

function reasonOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is no text in UTF-8';
  return (typeof code === 'string' ? REASONS[code] : undefined) ?? `cannot be read (${String(code)})`;
}

/**
 * Returns the variables of the environment, and of files with lines `NAME=value`. The environment takes precedence over
 * the files, and a later file over an earlier one.
 *
 * @param paths the paths, relative to the working directory
 * @throws FatalError CONFIG_UNREADABLE for a file that cannot be read, or that has other content
 * @example await deliver(config, [sinks.duckdb('a.duckdb')], { env: readEnvFiles(['.env']) });
 */
export function readEnvFiles(paths: readonly string[], env: Environment = process.env): Environment {
  return { ...Object.assign({}, ...paths.map(variablesIn)), ...env } as Environment;
}

function variablesIn(path: string): Environment {
  const unusable = (why: string): FatalError => new FatalError('CONFIG_UNREADABLE', `--env-file: ${path} ${why}`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(reasonOf(error));
  }
  text = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const variables = parseEnv(text);
  // A line without a variable becomes part of a name, or is dropped, depending on the version of Node.js.
  if (hasOnlyVariables(text)) return variables;
  throw unusable('has a line that is not NAME=value. Put values of several lines into quotation marks');
}

const VARIABLE = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(.*)$/;

/** Returns whether each line is a variable, a part of a quoted variable, a comment or blank. */
function hasOnlyVariables(text: string): boolean {
  let quote: string | undefined;
  for (const line of text.split('\n')) {
    if (quote !== undefined) {
      if (line.includes(quote)) quote = undefined;
      continue;
    }
    if (/^\s*(?:#|$)/.test(line)) continue;
    const value = VARIABLE.exec(line)?.[1];
    if (value === undefined) return false;
    const [first = ''] = value;
    if (/["'`]/.test(first) && !value.slice(1).includes(first)) quote = first;
  }
  return quote === undefined;
}
