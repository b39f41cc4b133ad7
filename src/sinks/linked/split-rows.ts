import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { LinkedTable } from '../../tables/linked/places';
import { checksum } from '../files/checksum';
import type { PageOfItems, PlaceOfItems } from '../journal/journal';

/** The bytes of small pages that are written together. */
const CHUNK = 1_048_576;

const NO_COLUMNS: ReadonlyMap<string, string> = new Map();

/** The rows of several tables in files of their own. */
export class SplitRows {
  readonly #files = new Map<string, TableFile>();

  /** @param stem the paths of the files begin with it */
  constructor(private readonly stem: string) {}

  /** Forgets all rows. */
  async begin(): Promise<void> {
    await this.close();
    this.#files.clear();
  }

  /** Takes the rows that a table has got of a page. */
  async add(table: LinkedTable, page: PageOfItems): Promise<void> {
    const { out, name } = table;
    if (out.rows === 0) return;
    const file = this.#files.get(name) ?? (await TableFile.open(`${this.stem}.${this.#files.size}.rows`, name));
    this.#files.set(name, file);
    const { rows } = out;
    const extra = table.parent === undefined ? page.extra : NO_COLUMNS;
    await file.add(out.take(), rows, { ...page, extra });
  }

  /** Makes the places of all rows known. */
  async end(): Promise<void> {
    for (const file of this.#files.values()) await file.flush();
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) await file.close();
  }

  readonly places = (): readonly PlaceOfItems[] => [...this.#files.values()].flatMap(({ places }) => places);
}

/** The rows of one table, in the order in which they came. */
class TableFile {
  readonly places: PlaceOfItems[] = [];
  #waiting: Buffer[] = [];
  #bytes = 0;
  #count = 0;
  #offset = 0;
  /** The page of the waiting rows. */
  #page: PageOfItems | undefined;

  private constructor(
    private readonly path: string,
    private readonly name: string,
    private readonly handle: FileHandle,
  ) {}

  static readonly open = async (path: string, name: string): Promise<TableFile> =>
    new TableFile(path, name, await open(path, 'w', 0o600));

  /** @param lines count until the next call */
  async add(lines: Buffer, count: number, page: PageOfItems): Promise<void> {
    if (this.#page !== undefined && !isAlike(this.#page, page)) await this.flush();
    this.#page ??= page;
    this.#waiting.push(Buffer.from(lines));
    this.#bytes += lines.length;
    this.#count += count;
    if (this.#bytes >= CHUNK) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#page === undefined) return;
    const lines = this.#waiting.length === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting);
    const { run, extra, isPlain = false } = this.#page;
    this.places.push({
      ...{ run, extra, dataType: this.name, count: this.#count },
      ...(isPlain ? { isPlain } : {}),
      ...{ path: this.path, offset: this.#offset, length: lines.length, sum: checksum(lines) },
    });
    await this.handle.writeFile(lines);
    this.#offset += lines.length;
    this.#page = undefined;
    this.#waiting = [];
    this.#bytes = 0;
    this.#count = 0;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** Whether rows of both pages may stand together. */
function isAlike(a: PageOfItems, b: PageOfItems): boolean {
  if (a.run !== b.run || (a.isPlain ?? false) !== (b.isPlain ?? false) || a.extra.size !== b.extra.size) return false;
  return [...a.extra].every(([name, value]) => b.extra.get(name) === value);
}
