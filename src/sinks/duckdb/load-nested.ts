import { join } from 'node:path';
import { makeFolders } from '../../core/make-folders';
import type { PlaceOfItems } from '../journal/journal';
import type { ObservedItems } from '../linked/observed-rows';
import { filledIn, loadOf } from './load-flat';
import type { TableLoad } from './load-flat';
import { nestedQueries } from './nested-query';
import { surveyTables } from './survey';
import type { SurveyOptions } from './survey';

/**
 * The rows of linked tables that DuckDB makes itself, of items with the objects and lists in them: nothing is written in between.
 *
 * @param options.folder an existing folder for temporary files, which the caller removes
 */
export async function nestedLoads(
  options: Omit<SurveyOptions, 'chosen'>,
  observed: readonly ObservedItems[],
): Promise<readonly TableLoad[]> {
  if (observed.length === 0) return [];
  const items = new Map(observed.map((each) => [each.root.name, each]));
  const folder = join(options.folder, 'nested');
  await makeFolders(folder);
  const places = (): AsyncIterable<PlaceOfItems> => only(options.places(), ({ dataType }) => items.has(dataType));
  const surveyed = await surveyTables({ ...options, places, folder });
  return surveyed.flatMap((lines) => {
    const { rows, ...rest } = items.get(lines.dataType) as ObservedItems;
    return Array.from(nestedQueries({ rows, ...rest }, lines), ([table, query]) => {
      const { rows: count, schema } = rows.get(table) as NonNullable<ReturnType<typeof rows.get>>;
      return loadOf({ ...lines, dataType: table.name, rows: count }, schema, query, filledIn(schema));
    });
  });
}

async function* only<T>(values: AsyncIterable<T>, isWanted: (value: T) => boolean): AsyncGenerator<T> {
  for await (const value of values) if (isWanted(value)) yield value;
}
