import type { Stored } from '../../src';

/** What is told of a table that was not there, or had no rows, where its rows are counted. */
export const newTable = (name: string, rows: number): Stored => ({
  ...{ name, rows },
  ...{ added: rows, changed: 0, unchanged: 0, removed: 0, total: rows },
});
