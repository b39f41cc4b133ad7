/** Names of page sizes in lower case, without what separates words. */
export const SIZE_NAMES: ReadonlySet<string> = new Set([
  ...['limit', 'perpage', 'pagesize', 'pagelimit', 'itemsperpage', 'resultsperpage', 'maxresults', 'hitsperpage'],
]);

/** Such names, and those that mean a page size in a request, and something else in a response. */
const ASKED_NAMES: ReadonlySet<string> = new Set([...SIZE_NAMES, 'size', 'top', 'take', 'rows', 'count', 'first']);

/**
 * This tells whether a parameter is called as page sizes are.
 *
 * @example isSizeName('per_page') // true
 */
export const isSizeName = (name: string): boolean => SIZE_NAMES.has(plain(name));

/**
 * This tells whether a parameter of a request that has the number of items for its value asks for that many.
 *
 * @example mayAskForSize('$top') // true
 */
export const mayAskForSize = (name: string): boolean => ASKED_NAMES.has(plain(name));

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
