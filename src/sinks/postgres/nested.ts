import type { Client } from 'pg';

/**
 * The dataTypes of pages in which there may be objects or lists within items.
 *
 * Lines have no white space between tokens. The text of a value may look like an object or a list as well, which does no harm.
 *
 * @param pages the table of pages
 * @param after the number of the page before them
 */
export async function nestedIn(
  client: Client,
  pages: string,
  destination: string,
  after: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ dataType: string }>(
    `SELECT DISTINCT data_type AS "dataType" FROM ${pages} WHERE destination = $1 AND seq > $2
       AND (strpos(lines, ':{') > 0 OR strpos(lines, ':[') > 0 OR starts_with(lines, '[') OR strpos(lines, E'\n[') > 0)`,
    [destination, after],
  );
  return new Set(rows.map(({ dataType }) => dataType));
}
