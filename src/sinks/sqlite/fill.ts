import { FatalError } from '../../core/errors/errors';
import { quoted } from '../duckdb/sql';
import type { Connection } from './driver';
import type { RowLoad } from './load';

/** The rows of a run before they are merged; temporary tables have a place of their own. */
export const STAGE = 'temp."_headwater_stage"';

/**
 * Brings the rows of a run into a table.
 *
 * @param into the table as SQL names it
 * @throws FatalError SINK_FAILED when rows or values of the run did not arrive
 */
export async function fill(connection: Connection, into: string, load: RowLoad): Promise<void> {
  const { columns, dataType, rows, filled } = load;
  const names = columns.map(({ name }) => quoted(name));
  const insert = connection.prepare(
    `INSERT INTO ${into} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  let arrived = 0;
  const values = new Array<number>(columns.length).fill(0);
  for await (const page of load.pages())
    for (const cells of page) {
      insert.run(...cells);
      arrived += 1;
      for (let at = 0; at < cells.length; at += 1) if (cells[at] !== null) values[at] = (values[at] ?? 0) + 1;
    }
  const at = values.findIndex((count, place) => count !== (filled[place] ?? 0));
  if (arrived === rows && at < 0) return;
  const what = arrived === rows ? `all values of the column ${JSON.stringify(columns[at]?.name)}` : `all ${rows} rows`;
  const message = `The table ${JSON.stringify(dataType)} did not get ${what}.`;
  throw new FatalError('SINK_FAILED', `${message} Nothing was stored. This is a defect of Headwater: report it.`);
}
