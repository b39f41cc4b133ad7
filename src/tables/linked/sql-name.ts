/** Names of tables and columns that SQL takes without quotes, whatever the API calls things. */

/**
 * A name of letters of any script, digits and `_`; what does not fit becomes one `_`.
 *
 * @returns an empty string where nothing is left
 * @example sqlName('authors/') // 'authors'
 */
export const sqlName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_')
    .replace(/^_(?=.)|(?<=.)_$/gu, '');
