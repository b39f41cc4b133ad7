import type { Client } from 'pg';
import { LOAD_ID, splitColumns } from '../../tables/run-columns';
import type { Added } from '../../tables/run-columns';
import type { JournaledPage } from '../journal/journal';
import { quoted } from './names';
import type { PostgresAddress } from './address';
import { nestedIn } from './nested';
import { checkedExtra } from './sums';

/** A table that the run fills. */
export interface FilledTable {
  readonly dataType: string;
  /** The indexes of the outputs that its pages belong to. */
  readonly runs: readonly number[];
}

/** A page with its lines as a string. */
export type PageOfLines = Pick<JournaledPage, 'run' | 'extra' | 'stamp' | 'count'> & { readonly lines: string };

export interface NumberedPage {
  readonly seq: number;
  readonly page: PageOfLines;
}

/** Pages of the journal that are loaded in one transaction. */
export interface LoadedPages {
  /** The number of the last page; `undefined`: there is none. */
  readonly last: (client: Client) => Promise<number | undefined>;
  readonly tables: (client: Client) => Promise<readonly FilledTable[]>;
  /** The dataTypes of pages in which there may be objects or lists within items. */
  readonly nested: (client: Client) => Promise<ReadonlySet<string>>;
  /** The pages of a table after the page of that number, some at a time; none when that was the last page. */
  readonly pagesAfter: (client: Client, dataType: string, seq: number) => Promise<readonly NumberedPage[]>;
}

/** Which pages of the journal are loaded. */
export interface PagesWanted {
  /** Those after the page of this number; default: all. */
  readonly after?: number;
  /** What their rows have in the column of the load (docs/sinks.md#rows-before-the-commit); absent: they have no such column. */
  readonly loadId?: string;
}

interface PageRow {
  readonly seq: string;
  readonly run: number;
  readonly extra: string;
  readonly count: number;
  readonly lines: string;
  readonly sum: string | null;
}

/** The table of the journal that pages wait in, as SQL has it. */
export const pagesTable = ({ journalSchema }: Pick<PostgresAddress, 'journalSchema'>): string =>
  `${quoted(journalSchema)}.pages`;

const PAGES_AT_ONCE = 256;
/** Maximum bytes of the lines of pages that are read at once; a single page may have more. */
const BYTES_AT_ONCE = 8_000_000;

/** @example await loadedPages(address, { after: 6 }).tables(client) // [{ dataType: 'orders', runs: [0] }] */
export function loadedPages(
  address: Pick<PostgresAddress, 'journalSchema' | 'destination'>,
  { after = -1, loadId }: PagesWanted = {},
): LoadedPages {
  const { destination } = address;
  const pages = pagesTable(address);
  const marked = ({ extra, ...added }: Added): Added =>
    loadId === undefined ? { extra, ...added } : { extra: new Map([...extra, [LOAD_ID, loadId]]), ...added };
  return {
    last: async (client) => {
      const { rows } = await client.query<{ last: string | null }>(
        `SELECT max(seq) AS last FROM ${pages} WHERE destination = $1 AND seq > $2`,
        [destination, after],
      );
      const last = rows[0]?.last ?? null;
      return last === null ? undefined : Number(last);
    },
    tables: async (client) => {
      const { rows } = await client.query<{ dataType: string; runs: readonly number[] }>(
        `SELECT data_type AS "dataType", array_agg(DISTINCT run) AS runs FROM ${pages}
         WHERE destination = $1 AND seq > $2 GROUP BY data_type ORDER BY min(seq)`,
        [destination, after],
      );
      return rows;
    },
    nested: (client) => nestedIn(client, pages, destination, after),
    pagesAfter: async (client, dataType, seq) => {
      const { rows } = await client.query<PageRow>(
        `SELECT seq, run, extra, count, lines, lines_sum AS sum FROM (
           SELECT *, sum(octet_length(lines)) OVER (ORDER BY seq) - octet_length(lines) AS before FROM (
             SELECT * FROM ${pages} WHERE destination = $1 AND data_type = $2 AND seq > $3 ORDER BY seq LIMIT $4) AS following) AS counted
         WHERE before < $5 ORDER BY seq`,
        [destination, dataType, Math.max(seq, after), PAGES_AT_ONCE, BYTES_AT_ONCE],
      );
      return rows.map((row) => {
        const { run, count, lines } = row;
        const at = Number(row.seq);
        const added = splitColumns(checkedExtra({ ...row, seq: at, dataType }, pages));
        return { seq: at, page: { run, ...marked(added), count, lines } };
      });
    },
  };
}
