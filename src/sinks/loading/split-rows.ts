import { open, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../core/json/objects';
import type { OutputPlan } from '../../plan/plan';
import { checksum } from '../files/checksum';
import { only } from '../journal/journal';
import type { PageOfItems, PagesInFiles, PlaceOfItems } from '../journal/journal';
import { pagesAt } from '../journal/reader';

/** The bytes of small pages that are written together. */
const CHUNK = 1_048_576;

const NO_COLUMNS: ReadonlyMap<string, string> = new Map();

/** A table that has rows of the current page. */
export interface RowsOfPage {
  readonly name: string;
  /** The parent table; `undefined`: the rows are those of items, and have the columns that their job adds. */
  readonly parent: object | undefined;
  readonly out: { readonly rows: number; readonly take: () => Buffer };
}

/** The rows of several tables in separate files. */
export class SplitRows {
  readonly #files = new Map<string, TableFile>();

  /** @param stem the beginning of the paths of the files */
  constructor(private readonly stem: string) {}

  /** Forgets all rows. */
  async begin(): Promise<void> {
    await this.close();
    this.#files.clear();
  }

  /** Writes the rows that a table has of a page. */
  async add(table: RowsOfPage, page: PageOfItems): Promise<void> {
    const { out, name } = table;
    if (out.rows === 0) return;
    const file = this.#files.get(name) ?? (await TableFile.open(`${this.stem}.${this.#files.size}.rows`, name));
    this.#files.set(name, file);
    const { rows } = out;
    const { run, isPlain = false } = page;
    await file.add(out.take(), rows, table.parent === undefined ? page : { run, isPlain, extra: NO_COLUMNS });
  }

  /** Completes the places of all rows. */
  async end(): Promise<void> {
    for (const file of this.#files.values()) await file.flush();
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) await file.close();
  }

  readonly places = (): readonly PlaceOfItems[] => [...this.#files.values()].flatMap(({ places }) => places);
}

/** The properties of a page that rows keep. */
type Rowed = Pick<PageOfItems, 'run' | 'extra' | 'stamp' | 'isPlain'>;

/** The rows of one table, in the order in which they came. */
class TableFile {
  readonly places: PlaceOfItems[] = [];
  #waiting: Buffer[] = [];
  #bytes = 0;
  #count = 0;
  #offset = 0;
  /** The page of the waiting rows, and what it has in common with others whose rows may be in one place. */
  #page: Rowed | undefined;
  #kind = '';

  private constructor(
    private readonly path: string,
    private readonly name: string,
    private readonly handle: FileHandle,
  ) {}

  static readonly open = async (path: string, name: string): Promise<TableFile> =>
    new TableFile(path, name, await open(path, 'w', 0o600));

  /** @param lines are valid until the next call */
  async add(lines: Buffer, count: number, page: Rowed): Promise<void> {
    const { run, extra, stamp, isPlain = false } = page;
    const kind = JSON.stringify([run, isPlain, stamp ?? null, [...extra]]);
    if (this.#kind !== kind) await this.flush();
    this.#page ??= page;
    this.#kind = kind;
    this.#waiting.push(Buffer.from(lines));
    this.#bytes += lines.length;
    this.#count += count;
    if (this.#bytes >= CHUNK) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#page === undefined) return;
    const lines = this.#waiting.length === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting);
    const { run, extra, stamp, isPlain = false } = this.#page;
    this.places.push({
      ...{ run, extra, dataType: this.name, count: this.#count, isPlain, ...defined({ stamp }) },
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

/** The run, with tables that have no page: their old rows are removed with it. */
interface Run extends PagesInFiles {
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  /** The tables without a page that the run replaces. */
  readonly unfed?: readonly string[];
}

/** Returns the number of the run that a table belongs to. */
export const runOf = (outputs: readonly OutputPlan[], table: string): number =>
  Math.max(
    0,
    outputs.findIndex(({ tables }) => [...(tables?.values() ?? [])].includes(table)),
  );

/**
 * Returns the places of a run, with one without items for each table without a page.
 *
 * @example const { places } = { ...run, ...(await withUnfed(run)) };
 */
export async function withUnfed({ places, folder, outputs, unfed = [] }: Run): Promise<Pick<PagesInFiles, 'places'>> {
  if (unfed.length === 0) return { places };
  const path = join(folder, 'unfed.ndjson');
  await writeFile(path, '');
  const placeOf = (dataType: string): PlaceOfItems => ({
    ...{ run: runOf(outputs, dataType), dataType, extra: new Map(), count: 0, path, offset: 0, length: 0, sum: 0 },
  });
  return {
    places: function* () {
      yield* places();
      for (const table of unfed) yield placeOf(table);
    },
  };
}

/**
 * Returns the pages of a journal, with rows that were made of some of them in their place.
 *
 * @param places the places of the rows
 * @param isLeft returns whether a page stays as it is
 */
export const withRows = (
  journal: PagesInFiles,
  places: readonly PlaceOfItems[],
  isLeft: (place: PlaceOfItems) => boolean,
): PagesInFiles => ({
  places: function* () {
    yield* only(journal.places(), isLeft);
    yield* places;
  },
  pages: async function* (isWanted = () => true) {
    yield* journal.pages((place) => isLeft(place) && isWanted(place));
    yield* pagesAt(places.filter(isWanted));
  },
});
