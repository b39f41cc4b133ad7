import { FatalError } from '../../core/errors/errors';
import { pagesAt } from '../journal/reader';
import type { PagesInFiles, PlaceOfItems } from '../journal/journal';
import type { MappedItems } from './map-items';

/**
 * The rows of mapped tables, beside the pages of others as they are in the journal.
 *
 * @throws FatalError API_SHAPE from its methods where a dataType without a mapping has the name of a mapped table
 */
export function withMappedItems(journal: PagesInFiles, { tables, isMapped }: MappedItems): PagesInFiles {
  const places = tables.flatMap((table) => table.places);
  const names = new Set(tables.map(({ name }) => name));
  const isLeft = (place: PlaceOfItems): boolean => {
    if (isMapped(place)) return false;
    if (names.has(place.dataType)) throw sharedTable(place.dataType);
    return true;
  };
  return {
    places: async function* () {
      for await (const place of journal.places()) if (isLeft(place)) yield place;
      yield* places;
    },
    pages: async function* (isWanted: (place: PlaceOfItems) => boolean = () => true) {
      yield* journal.pages((place) => isLeft(place) && isWanted(place));
      yield* pagesAt(places.filter(isWanted));
    },
  };
}

/** A table that both a mapping and items without one would fill: their columns have nothing to do with each other. */
export const sharedTable = (table: string): FatalError =>
  new FatalError(
    'API_SHAPE',
    `The table ${JSON.stringify(table)} is that of a mapping, and of a dataType without one. ` +
      'Give one of them another name: the dataType of the job, or the destination in the mapping.',
    { table },
  );
