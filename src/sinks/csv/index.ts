import { defineSink } from '../../language/parts/sink';
import type { Compression } from '../files/compression';
import { csvAtOnce } from './at-once';
import { PLAIN } from './files';
import type { CsvLayout } from './files';
import { filePlace } from '../s3/address';
import { csvTables } from './tables';
import { outline } from './outline';

export interface CsvOptions {
  /** How files are named, and what lies beside them; default: `<table>.csv`, with the bucket where tables of several meet. */
  readonly layout?: CsvLayout;
  /**
   * Makes the files of a run in one go, and keeps nothing of an interrupted one; default false. It takes less time and
   * space, and the folder has the files alone. State has to be given to `deliver`.
   */
  readonly keepsNothing?: boolean;
  /** With `keepsNothing`, an existing folder where rows wait until all are there; default: that of the system. */
  readonly spoolFolder?: string;
  /** How files are compressed; default: they are not. */
  readonly compress?: Compression;
  /** Where pages for a bucket wait; default: in `.headwater` of the current folder. */
  readonly journal?: string;
  /** This is true where no two rows have the same id, so that each element of an array joins to one row; default false: equal rows have equal ids. */
  readonly uniqueIds?: boolean;
}

export const csv = defineSink({
  ...outline,
  create: ({ rest }, { outputs, warn }, options: CsvOptions) => {
    const { layout = PLAIN, keepsNothing = false, spoolFolder, compress, journal, uniqueIds = false } = options;
    const { folder, bucket } = filePlace(outline.name, rest, journal);
    const tables = {
      folder,
      bucket,
      layout,
      outputs,
      warn,
      compress,
      uniqueIds,
      ...(spoolFolder === undefined ? {} : { spoolFolder }),
    };
    // What keeps nothing could not be moved into a bucket in one step.
    return keepsNothing && bucket === undefined ? csvAtOnce(tables) : csvTables(tables);
  },
});
