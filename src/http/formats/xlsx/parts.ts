import { posix } from 'node:path';
import { SaxesParser } from 'saxes';
import { Unreadable } from '../../../language/parts/errors';
import { LONGEST_BODY, contentOf, filesIn, isZip } from '../zip';
import type { ZipEntry } from '../zip';

/** A part that another part refers to. */
export interface Relationship {
  readonly id: string;
  /** The last word of its type: `worksheet`. */
  readonly type: string;
  readonly path: string;
}

/** The parts of an Excel file: XML in a zip archive, with references between parts. */
export class ExcelParts {
  readonly #files: ReadonlyMap<string, ZipEntry>;
  #left = LONGEST_BODY;

  /** @throws Unreadable if the bytes are not such a file */
  constructor(private readonly bytes: Uint8Array) {
    if (isOldOffice(bytes)) throw new Unreadable('it is an Excel file of the old kind (.xls), or an encrypted one');
    if (!isZip(bytes)) throw new Unreadable(NO_EXCEL);
    const files = filesIn(bytes);
    const inside = files.find(({ name }) => /\.xls[xmb]?$/i.test(name));
    // A workbook may also contain others.
    if (inside !== undefined && !files.some(({ name }) => name === '[Content_Types].xml'))
      throw new Unreadable(
        `it is a zip archive with ${JSON.stringify(inside.name)} in it: an Excel file is read by itself, and not out of an archive`,
      );
    // Names of parts are compared without case.
    this.#files = new Map(files.map((file) => [file.name.toLowerCase(), file]));
    if (this.#files.size < files.length) throw new Unreadable('it has a part twice');
  }

  /** Returns the text of a part; `undefined` if there is none. */
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

  /** Returns the text of a required part. */
  required(path: string): string {
    const text = this.text(path);
    if (text === undefined) throw new Unreadable(`its part ${JSON.stringify(path)} is missing`);
    return text;
  }

  /** Returns the parts that a part refers to; without a path, those of the file itself. */
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

/** Handlers for the elements of a part of an Excel file; names have no prefix. */
export interface ElementHandlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/**
 * Reads the elements of a part in their order.
 *
 * @param path the path of the part, for messages
 * @throws Unreadable if it is not well-formed
 */
export function readElements(xml: string, path: string, { open, close, text }: ElementHandlers): void {
  const parser = new SaxesParser();
  parser.on('error', ({ message }) => {
    throw new Unreadable(`its part ${JSON.stringify(path)} is no XML: ${message}`);
  });
  if (open !== undefined)
    parser.on('opentag', ({ name, attributes }) => {
      open(local(name), attributes);
    });
  if (close !== undefined)
    parser.on('closetag', ({ name }) => {
      close(local(name));
    });
  if (text !== undefined) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  parser.write(xml).close();
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Joins a string from several elements `t`, without those for its pronunciation. */
export class StringCollector {
  #text = '';
  #isOpen = false;
  #isAloud = false;

  begin(): void {
    this.#text = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.#isAloud = true;
    else if (name === 't') this.#isOpen = !this.#isAloud;
  }

  close(name: string): void {
    if (name === 'rPh') this.#isAloud = false;
    else if (name === 't') this.#isOpen = false;
  }

  add(text: string): void {
    if (this.#isOpen) this.#text += text;
  }

  end(): string {
    return unescaped(this.#text);
  }
}

/** Decodes `_x000D_` and the like, by which Excel writes old line ends and characters that XML cannot hold. */
export const unescaped = (text: string): string =>
  text.replace(/_x([\dA-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Returns whether bytes begin like files of Office before 2007, or encrypted files of later versions. */
export const isOldOffice = (bytes: Uint8Array): boolean => SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length));
