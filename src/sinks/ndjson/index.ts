import { FatalError } from '../../core/errors/errors';
import { defineSink } from '../../language/parts/sink';
import type { Compression } from '../files/compression';
import { filePlace } from '../s3/address';
import { transient } from '../durable';
import { ndjsonFolder } from './folder';
import { ndjson as lines } from './stream';
import { outline } from './outline';

export interface NdjsonSinkOptions {
  /** Items on standard output bear their dataType; default false. */
  readonly tag?: boolean;
  /** They bear what tables add to items as well, such as `parent_id`, as `extra`; default false. */
  readonly tagExtra?: boolean;
  /** How files in a folder are compressed; default: they are not. */
  readonly compress?: Compression;
  /** Where pages for a bucket wait; default: in `.headwater` of the current folder. */
  readonly journal?: string;
  /** What becomes of objects and lists in items of files in a folder; default: `json`, they stay as they came. */
  readonly nested?: 'tables' | 'json';
}

const NO_TABLES =
  'nested: standard output has lines of items, and no linked tables: name a folder, such as ndjson:out, or leave "tables" out.';

/** The address of standard output. */
const STANDARD_OUTPUT = '-';

export const ndjson = defineSink({
  ...outline,
  create: ({ url, rest }, { outputs, warn }, options: NdjsonSinkOptions) => {
    const { tag = false, tagExtra = false, compress, journal, nested } = options;
    if (rest === STANDARD_OUTPUT) {
      if (nested === 'tables') throw new FatalError('CONFIG_INVALID', NO_TABLES);
      return transient(url, lines(process.stdout, { tag, tagExtra }));
    }
    const { folder, bucket } = filePlace(outline.name, rest, journal);
    return ndjsonFolder(folder, outputs, { compress, warn, bucket, ...(nested ? { nested } : {}) });
  },
});
