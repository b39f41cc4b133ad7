import { open, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputPlan } from '../../plan/plan';
import { checksum } from '../files/checksum';
import type { PageOfItems, PagesInFiles, PlaceOfItems } from '../journal/journal';

/** The bytes of small pages that are written together. */
const CHUNK = 1_048_576;

const NO_COLUMNS: ReadonlyMap<string, string> = new Map();

/** A table whose rows of a page are at hand. */
export interface RowsOfPage {
  readonly name: string;
  /** What its rows belong to; `undefined`: they are those of items, and have the columns that their job adds. */
  readonly parent: object | undefined;
  readonly out: { readonly rows: number; readonly take: () => Buffer };
}

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
  async add(table: RowsOfPage, page: PageOfItems): Promise<void> {
    const { out, name } = table;
    if (out.rows === 0) return;
    const file = this.#files.get(name) ?? (await TableFile.open(`${this.stem}.${this.#files.size}.rows`, name));
    this.#files.set(name, file);
    const { rows } = out;
    const { run, isPlain = false } = page;
    await file.add(out.take(), rows, table.parent === undefined ? page : { run, isPlain, extra: NO_COLUMNS });
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

/** What rows have of their page. */
type Rowed = Pick<PageOfItems, 'run' | 'extra' | 'stamp' | 'isPlain'>;

/** The rows of one table, in the order in which they came. */
class TableFile {
  readonly places: PlaceOfItems[] = [];
  #waiting: Buffer[] = [];
  #bytes = 0;
  #count = 0;
  #offset = 0;
  /** The page of the waiting rows. */
  #page: Rowed | undefined;

  private constructor(
    private readonly path: string,
    private readonly name: string,
    private readonly handle: FileHandle,
  ) {}

  static readonly open = async (path: string, name: string): Promise<TableFile> =>
    new TableFile(path, name, await open(path, 'w', 0o600));

  /** @param lines count until the next call */
  async add(lines: Buffer, count: number, page: Rowed): Promise<void> {
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
    const { run, extra, stamp, isPlain = false } = this.#page;
    this.places.push({
      ...{ run, extra, dataType: this.name, count: this.#count },
      ...(stamp === undefined ? {} : { stamp }),
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
function isAlike(a: Rowed, b: Rowed): boolean {
  if (a.run !== b.run || (a.isPlain ?? false) !== (b.isPlain ?? false) || a.extra.size !== b.extra.size) return false;
  if (a.stamp?.page !== b.stamp?.page || a.stamp?.extractedAt !== b.stamp?.extractedAt) return false;
  return [...a.extra].every(([name, value]) => b.extra.get(name) === value);
}

/** Tables of which a run has no page: what they had goes with it. */

/** What is asked of the run. */
interface Run extends PagesInFiles {
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  /** The tables that the run replaces although no page is theirs. */
  readonly unfed?: readonly string[];
}

/** The number of the run that a table belongs to. */
export const runOf = (outputs: readonly OutputPlan[], table: string): number =>
  Math.max(
    0,
    outputs.findIndex(({ tables }) => [...(tables?.values() ?? [])].includes(table)),
  );

/**
 * The places of a run, with one without items for each table that no page is of.
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
    places: async function* () {
      yield* places();
      for (const table of unfed) yield placeOf(table);
    },
  };
}
