import { FatalError } from '../../core/errors/errors';
import { defineSink } from '../../language/parts/sink';
import type { Compression } from '../files/compression';
import { filePlace } from '../s3/address';
import { transient } from '../durable';
import { ndjsonFolder } from './folder';
import { ndjson as lines } from './stream';
import { ndjson as outline } from '../outlines';

export interface NdjsonSinkOptions {
  /** True if items on standard output have their dataType; default false. */
  readonly tag?: boolean;
  /** True if they also have the values that tables add to items, such as `parent_id`, as `extra`; default false. */
  readonly tagExtra?: boolean;
  /** The compression of files in a folder; default: none. */
  readonly compress?: Compression;
  /** The folder where pages for a bucket wait; default: in `.headwater` of the current folder. */
  readonly journal?: string;
  /** How objects and lists in items of files in a folder are stored; default: `json`, they stay unchanged. */
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
