import { posix } from 'node:path';
import { LONGEST_BODY } from '../longest-body';
import { Unreadable } from '../../../language/parts/format/unreadable';
import { contentOf } from '../zip/content';
import { filesIn, isZip } from '../zip/directory';
import type { ZipEntry } from '../zip/directory';
import { readElements } from './elements';
import { isOldOffice } from './old-office';

/** A part that another one names. */
export interface Relationship {
  readonly id: string;
  /** The last word of its type: `worksheet`. */
  readonly type: string;
  readonly path: string;
}

/** The parts of an Excel file: XML in a zip archive, which name each other. */
export class ExcelParts {
  readonly #files: ReadonlyMap<string, ZipEntry>;
  #left = LONGEST_BODY;

  /** @throws Unreadable when the bytes are no such file */
  constructor(private readonly bytes: Uint8Array) {
    if (isOldOffice(bytes)) throw new Unreadable('it is an Excel file of the old kind (.xls), or an encrypted one');
    if (!isZip(bytes)) throw new Unreadable(NO_EXCEL);
    const files = filesIn(bytes);
    const inside = files.find(({ name }) => /\.xls[xmb]?$/i.test(name));
    // A workbook may have others in it, too.
    if (inside !== undefined && !files.some(({ name }) => name === '[Content_Types].xml'))
      throw new Unreadable(
        `it is a zip archive with ${JSON.stringify(inside.name)} in it: an Excel file is read by itself, and not out of an archive`,
      );
    // Names of parts are equal whatever their case.
    this.#files = new Map(files.map((file) => [file.name.toLowerCase(), file]));
    if (this.#files.size < files.length) throw new Unreadable('it has a part twice');
  }

  /** The text of a part; `undefined` where there is none. */
  text(path: string): string | undefined {
    const file = this.#files.get(path.toLowerCase());
    if (file === undefined) return undefined;
    const content = contentOf(this.bytes, file, this.#left);
    this.#left -= content.length;
    try {
      return new TextDecoder(encodingOf(content), { fatal: true }).decode(content);
    } catch {
      throw new Unreadable(`its part ${JSON.stringify(path)} is no UTF-8`);
    }
  }

  /** The text of a part that has to be there. */
  required(path: string): string {
    const text = this.text(path);
    if (text === undefined) throw new Unreadable(`its part ${JSON.stringify(path)} is missing`);
    return text;
  }

  /** The parts that a part names; those of the file itself without a path. */
  relationships(path = ''): readonly Relationship[] {
    const { dir, base } = posix.parse(path);
    const place = posix.join(dir, '_rels', `${base}.rels`);
    const found: Relationship[] = [];
    readElements(this.text(place) ?? '<none/>', place, {
      open: (name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) => {
        if (name !== 'Relationship' || mode === 'External') return;
        const inside = target.startsWith('/') ? posix.normalize(target.slice(1)) : posix.join(dir, target);
        found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), path: inside });
      },
    });
    return found;
  }
}

export const NO_EXCEL = 'it is no Excel file (.xlsx)';

const encodingOf = ([first, second]: Uint8Array): string =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
