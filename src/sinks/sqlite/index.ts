import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineSink } from '../../language/parts/sink';
import { limitedOutputs } from '../../tables/schema/column-names';
import { makeFolder } from '../files/durable-files';
import type { NestingOptions } from '../options';
import { sqlStore } from '../stores/sql-store';
import { storeSink } from '../stores/store';
import { OWN, sqliteDatabase } from './database';
import { refusal, requireSqlite } from './driver';
import { sqlite as outline } from '../outlines';

/** The maximum number of columns of SQLite. */
const MOST_COLUMNS = 2_000;

/**
 * The sink of the tables of an SQLite database, one for each dataType. A commit is one transaction with all rows and a receipt in the table
 * `_headwater`. Until then pages wait in the folder `<file>.headwater`, and others can use the database. The file is made by the first
 * commit.
 *
 * @throws FatalError from its methods: DESTINATION_LOCKED while another process writes; DESTINATION_ADDRESS, DESTINATION_DAMAGED
 *   or DESTINATION_INCOMPATIBLE when it cannot be used; SINK_FAILED when it does not accept the rows;
 *   PACKAGE_MISSING. A commit can be repeated.
 */
export const sqlite = defineSink({
  ...outline,
  create: ({ rest: file }, { outputs, warn }, { nested }: NestingOptions) =>
    storeSink({
      ...{ name: `sqlite:${file}`, database: 'SQLite', folder: `${file}.headwater`, nested, warn },
      outputs: limitedOutputs(outputs, MOST_COLUMNS, 'SQLite takes no more of them.'),
      exists: () => existsSync(file),
      open: () => Promise.resolve(sqlStore(sqliteDatabase(file))),
      prepare: async () => {
        requireSqlite();
        await makeFolder(dirname(file));
      },
      isReserved: (table) => /^sqlite_/i.test(table) || table.toLowerCase().startsWith(OWN.receipt),
      failure: (cause) => refusal(file, cause),
    }),
});
