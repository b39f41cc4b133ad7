/** Builds the tables of one dataType: its structure, and the rows that fit the structure as it is now. */
import { addFacts, FatalError } from '../../core/errors/errors';
import { stringifyJson } from '../../core/json/stringify';
import type { Item } from '../../core/model';
import { checkColumns } from '../column-limit';
import type { Naming } from './columns';
import { contentText } from './row-id';
import { RowWriter } from './rows';
import type { Spool } from '../files/spool';
import { Structure } from './structure';
import type { ItemsOfPage } from '../table';
import { planTables } from './table-plan';

/** Rows of several tables, by the table's name. */
export type Spools = Map<string, Spool>;

export interface DataTypeBuilderOptions {
  readonly naming: Naming;
  readonly openSpool: (header: string) => Spool;
  readonly warn: (message: string) => void;
  /** The maximum number of data columns in a table. */
  readonly maxColumns: number;
  readonly uniqueIn: string | undefined;
}

/**
 * Rows are made at once, by the structure so far. When the structure grows, the rows made before no longer fit: they are
 * dropped, and made again at the end.
 */
export class DataTypeBuilder {
  readonly dataType: string;
  readonly structure: Structure;
  readonly firstPage: number;
  /** The first page whose rows fit the structure. */
  firstFresh: number;
  /** The rows since then. */
  fresh: Spools = new Map();
  #freshWriter: RowWriter | undefined;
  /**
   * Raw names of the parent and user columns; a table's header never changes
   * (docs/language/tables.md#parent-and-user-columns).
   */
  readonly #extraNames: readonly string[];

  /**
   * @param first the first batch
   * @param page the number of its page in the run
   */
  constructor(
    first: ItemsOfPage,
    page: number,
    private readonly options: DataTypeBuilderOptions,
  ) {
    this.dataType = first.dataType;
    this.structure = new Structure(first.dataType, options.warn);
    this.#extraNames = [...first.extra.keys()];
    this.firstPage = page;
    this.firstFresh = page;
  }

  /** The writer of {@link fresh}. */
  get freshWriter(): RowWriter {
    this.#freshWriter ??= this.writerTo(this.fresh);
    return this.#freshWriter;
  }

  /**
   * Merges the items of a page and makes their rows.
   *
   * @returns the JSON texts of the items, and the rows that no longer fit
   * @throws FatalError `API_SHAPE` when the items do not fit the structure, or the extra columns the table
   */
  take(
    { items, extra, texts: given }: ItemsOfPage,
    page: number,
  ): { readonly texts: readonly string[]; readonly stale: Spools } {
    this.#checkExtra(extra);
    const known = this.structure.revision;
    const careful = items.map((item) => this.#merged(item));
    const texts = given ?? items.map((item, at) => (careful[at] === true ? stringifyJson(item) : contentText(item)));
    const grown = this.structure.revision !== known;
    const stale = grown ? this.#startAfresh(page) : new Map<string, Spool>();
    this.freshWriter.write(items, texts, extra, page);
    return { texts, stale };
  }

  /** A writer that fits all pages so far. */
  writerTo(spools: Spools): RowWriter {
    const { naming, openSpool, maxColumns, uniqueIn } = this.options;
    checkColumns(this.structure.root, maxColumns, naming);
    naming.nameNodes(this.structure.root);
    const spoolOf = (name: string, header: string): Spool => {
      const spool = spools.get(name) ?? openSpool(header);
      spools.set(name, spool);
      return spool;
    };
    return new RowWriter(planTables(this.structure.root, this.#extraNames, { naming, spoolOf }), uniqueIn);
  }

  #merged(item: Item): boolean {
    try {
      return this.structure.merge(item);
    } catch (error) {
      throw addFacts(error, { table: this.dataType });
    }
  }

  #startAfresh(page: number): Spools {
    const stale = this.fresh;
    this.fresh = new Map();
    this.#freshWriter = undefined;
    this.firstFresh = page;
    return stale;
  }

  #checkExtra(extra: ItemsOfPage['extra']): void {
    const unknown = [...extra.keys()].find((name) => !this.#extraNames.includes(name));
    if (unknown === undefined) return;
    throw new FatalError(
      'API_SHAPE',
      `Error parsing response JSON: The table of '${this.dataType}' was begun without the column '${unknown}'. ` +
        'Give all jobs of this dataType the same "userData" and placeholders, or give this job another "dataType".',
      { table: this.dataType },
    );
  }
}
