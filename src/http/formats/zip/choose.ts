import { Unreadable } from '../../../language/parts/format/unreadable';
import { filesIn } from './directory';
import type { ZipEntry } from './directory';

/** The part of which each Excel file has one. */
const WORKBOOK = /^xl\/workbook\.(xml|bin)$/i;
/** The most names that a message lists. */
const LISTED = 20;

/**
 * The files of an archive that are read: those whose names fit a pattern; without one, the only one that there is.
 *
 * @param pattern in which `*` stands for any characters
 * @throws Unreadable with the names that there are
 */
export function chosenFiles(archive: Uint8Array, pattern: string | undefined): readonly ZipEntry[] {
  // What a link leads to is another file of the archive, or none that anybody should read.
  const files = filesIn(archive).filter(({ isLink }) => !isLink);
  if (files.length === 0) throw new Unreadable('it is a zip archive without files');
  if (files.some(({ name }) => WORKBOOK.test(name)))
    throw new Unreadable('it is an Excel workbook: read it with {"type": "xlsx"} as the format');
  if (pattern === undefined) {
    if (files.length === 1) return files;
    throw new Unreadable(
      `the zip archive has several files; name one, or a pattern of them, in format.file: ${listed(files)}`,
    );
  }
  const chosen = files.filter(({ name }) => fits(name, pattern));
  const names = chosen.map(({ name }) => name);
  const again = names.find((name, at) => names.indexOf(name) < at);
  if (again !== undefined)
    throw new Unreadable(`the zip archive has several files of the name ${JSON.stringify(again)}`);
  if (chosen.length > 0) return chosen;
  throw new Unreadable(`no file of the zip archive has a name like format.file; it has ${listed(files)}`);
}

/** Names of files, for messages. */
export function listed(files: readonly { readonly name: string }[]): string {
  const names = files.slice(0, LISTED).map(({ name }) => JSON.stringify(name));
  return files.length > LISTED ? `${names.join(', ')} and ${files.length - LISTED} more` : names.join(', ');
}

/** Whether a name fits a pattern in which `*` stands for any characters. */
function fits(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
