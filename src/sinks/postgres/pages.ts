import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import { FatalError } from '../../core/errors/errors';
import { isObject } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { arePlainLines } from '../../core/json/skip-value';
import type { Checkpoint, JsonObject } from '../../core/model';
import { LOAD_ID, splitColumns } from '../../tables/run-columns';
import type { Added } from '../../tables/run-columns';
import { checkedObject, checkedText, checksum } from '../files/checksum';
import type { ItemsOfRun, PageOfItems, PagesInFiles, PlaceOfItems } from '../journal/journal';
import { journalDamage } from '../journal/records';
import type { PostgresAddress } from './address';

/** Some pages of the journal. */
export interface JournalPages extends PagesInFiles {
  /** The number of the last one; absent: there is none. */
  readonly last?: number;
  /** The dataTypes that may have objects or lists within items. */
  readonly nested: ReadonlySet<string>;
}

/** Which pages of the journal are loaded. */
export interface PagesWanted {
  /** Only the pages after the page of this number; default: all. */
  readonly after?: number;
  /** The value of their rows in the column of the load (docs/sinks.md#rows-before-the-commit); absent: they have no such column. */
  readonly loadId?: string;
}

interface FoundPages extends ItemsOfRun {
  readonly count: string;
  readonly last: string;
  readonly nested: boolean;
}

/** Returns the table of the journal for pages, in SQL. */
export const pagesTable = ({ journalSchema }: Pick<PostgresAddress, 'journalSchema'>): string =>
  `${quoted(journalSchema)}.pages`;

const PAGES_AT_ONCE = 256;
/** The maximum bytes of the lines of pages that are read at once; a single page may have more. */
const BYTES_AT_ONCE = 8_000_000;

/**
 * Looks up the pages of the journal: each place stands for all pages of a table and a run of the configuration. Lines have no white space
 * between tokens. The text of a value may look like an object or a list as well, which is harmless.
 *
 * @example (await loadedPages(client, address, { after: 6 })).last // 41
 */
export async function loadedPages(
  client: Client,
  address: Pick<PostgresAddress, 'journalSchema' | 'destination'>,
  { after = -1, loadId }: PagesWanted = {},
): Promise<JournalPages> {
  const { destination } = address;
  const table = pagesTable(address);
  const { rows: found } = await client.query<FoundPages>(
    `SELECT data_type AS "dataType", run, sum(count) AS count, max(seq) AS last,
       bool_or(strpos(lines, ':{') > 0 OR strpos(lines, ':[') > 0 OR starts_with(lines, '[') OR strpos(lines, E'\n[') > 0) AS nested
     FROM ${table} WHERE destination = $1 AND seq > $2 GROUP BY data_type, run ORDER BY min(seq)`,
    [destination, after],
  );
  const marked = ({ extra, ...added }: Added): Added =>
    loadId === undefined ? { extra, ...added } : { extra: new Map([...extra, [LOAD_ID, loadId]]), ...added };
  const places = found.map(({ dataType, run, count }): PlaceOfItems => {
    const nowhere = { extra: new Map<string, string>(), path: '', offset: 0, length: 0, sum: 0 };
    return { dataType, run, count: Number(count), ...nowhere };
  });
  async function* pagesOf(dataType: string, runs: ReadonlySet<number>): AsyncGenerator<PageOfItems> {
    for (let seq = after; ;) {
      const { rows } = await client.query<PageRow>(
        `SELECT seq, run, extra, count, lines, lines_sum AS sum FROM (
           SELECT *, sum(octet_length(lines)) OVER (ORDER BY seq) - octet_length(lines) AS before FROM (
             SELECT * FROM ${table} WHERE destination = $1 AND data_type = $2 AND seq > $3 ORDER BY seq LIMIT $4) AS following) AS counted
         WHERE before < $5 ORDER BY seq`,
        [destination, dataType, seq, PAGES_AT_ONCE, BYTES_AT_ONCE],
      );
      if (rows.length === 0) return;
      for (const row of rows) {
        const { run, extra, count, sum } = row;
        const lines = Buffer.from(row.lines);
        seq = Number(row.seq);
        check(sum, linesSum({ seq, run, dataType, extra, count }, lines), table, seq);
        const added = splitColumns(new Map(parseJson(extra) as readonly (readonly [string, string])[]));
        if (!runs.has(run)) continue;
        yield { dataType, run, ...marked(added), count, lines, isPlain: arePlainLines(lines) };
      }
    }
  }
  const last = Math.max(...found.map((pages) => Number(pages.last)));
  return {
    ...(found.length === 0 ? {} : { last }),
    nested: new Set(found.flatMap(({ dataType, nested }) => (nested ? [dataType] : []))),
    places: () => places,
    pages: async function* (isWanted = () => true) {
      const wanted = places.filter(isWanted);
      for (const dataType of new Set(wanted.map((place) => place.dataType)))
        yield* pagesOf(dataType, new Set(wanted.flatMap((place) => (place.dataType === dataType ? [place.run] : []))));
    },
  };
}

interface PageRow extends Omit<PageHead, 'seq' | 'dataType'> {
  readonly seq: string;
  readonly lines: string;
  readonly sum: string;
}

/** A page in its row, without its lines, but with checksums that detect changed data. */
export interface PageHead extends ItemsOfRun {
  readonly seq: number;
  readonly extra: string;
  readonly count: number;
}

/** Returns the checksum of a checkpoint with its number, which detects swapped rows as well. */
export const checkpointSum = (seq: number, checkpoint: string): number => checksum(checkpoint, checksum(String(seq)));

export const linesSum = ({ seq, run, dataType, extra, count }: PageHead, lines: Uint8Array): number =>
  checksum(lines, checksum(JSON.stringify([seq, run, dataType, extra, count])));

/** @throws FatalError JOURNAL_DAMAGED */
function check(sum: string, actual: number, place: string, seq: number): void {
  if (Number(sum) !== actual) throw journalDamage(place, `page ${seq + 1} of the run is not as it was written`);
}

/** @throws FatalError JOURNAL_DAMAGED */
export function checkedCheckpoint(
  row: { readonly seq: number; readonly checkpoint: string; readonly sum: string },
  place: string,
): Checkpoint {
  check(row.sum, checkpointSum(row.seq, row.checkpoint), place, row.seq);
  return parseJson(row.checkpoint) as unknown as Checkpoint;
}

/** Returns a function that checks the pages of calls: no page may be missing before another one of the same call. */
export function pageCounter(place: string): (seq: number, checkpoint: Checkpoint) => void {
  const counts = new Map<string, number>();
  return (seq, { call, pages }) => {
    const key = call.join('.');
    if (pages !== 1 && pages !== (counts.get(key) ?? 0) + 1)
      throw journalDamage(place, `a page before page ${seq + 1} of the run is missing`);
    counts.set(key, pages);
  };
}

export const stateText = (state: JsonObject): string => checkedText({ state });

/**
 * Returns the state in a string.
 *
 * @throws FatalError DESTINATION_DAMAGED when it is damaged
 */
export function stateIn(text: string, place: string): JsonObject {
  const state = checkedObject(text)?.['state'];
  if (isObject(state)) return state;
  const remedy = 'Delete it to start over.';
  throw new FatalError('DESTINATION_DAMAGED', `What the last run left in ${place} is damaged. ${remedy}`);
}
