/** The file that init writes. */
import { constants } from 'node:fs';
import { access, open, rm, stat } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { FatalError, type ConfigurationFormat } from '../..';

const FORMATS: Readonly<Record<string, ConfigurationFormat>> = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.jsonc': 'jsonc',
  '.json': 'json',
};

/** @throws FatalError CONFIG_INVALID where its name ends with no format */
export function formatOf(out: string | undefined): ConfigurationFormat {
  const format = out === undefined ? 'yaml' : FORMATS[extname(out).toLowerCase()];
  if (format !== undefined) return format;
  throw new FatalError('CONFIG_INVALID', `${out} has to end with .yaml, .jsonc or .json.`);
}

/**
 * Refuses before the first request what could not be written after the last one.
 *
 * @throws FatalError CONFIG_UNREADABLE where there is such a file, or no folder for it that can be written
 */
export async function refuseUnwritable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined) throw refused(`${file} ${THERE_ALREADY}.`);
  const folder = dirname(file);
  try {
    if (!(await stat(folder)).isDirectory()) throw refused(`${file} cannot be written: ${folder} is no folder.`);
    await access(folder, constants.W_OK);
  } catch (cause) {
    if (cause instanceof FatalError) throw cause;
    throw refused(`${file} cannot be written: ${whyNot(cause, folder)}.`, cause);
  }
}

/** @throws FatalError CONFIG_UNREADABLE where there is such a file: it is not overwritten */
export async function write(file: string, text: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(text).finally(() => handle.close());
    } catch (error) {
      // What could not be written whole is not left behind.
      await rm(file, { force: true });
      throw error;
    }
  } catch (cause) {
    const why = codeOf(cause) === 'EEXIST' ? THERE_ALREADY : `cannot be written: ${whyNot(cause, dirname(file))}`;
    throw refused(`${file} ${why}.`, cause);
  }
}

const THERE_ALREADY = 'is there already, and is not overwritten: name another file by --out';

const codeOf = (cause: unknown): unknown =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;

function whyNot(cause: unknown, folder: string): string {
  const code = codeOf(cause);
  if (code === 'ENOENT') return `there is no folder ${folder}: make it, or name another file by --out`;
  if (code === 'ENOTDIR') return `a part of ${folder} is no folder: name another file by --out`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `the folder ${folder} may not be written: name another file by --out`;
  return String(cause);
}

const refused = (why: string, cause?: unknown): FatalError => new FatalError('CONFIG_UNREADABLE', why, { cause });
