/** Names of page sizes in lower case, without what separates words. */
export const SIZE_NAMES: ReadonlySet<string> = new Set([
  ...['limit', 'perpage', 'pagesize', 'pagelimit', 'itemsperpage', 'resultsperpage', 'maxresults', 'hitsperpage'],
]);

/**
 * This tells whether a parameter is called as page sizes are.
 *
 * @example isSizeName('per_page') // true
 */
export const isSizeName = (name: string): boolean => SIZE_NAMES.has(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
