import type { DurableSink } from '../../core/durable-sink';
import { folderSink } from '../files/folder-sink';
import type { BucketAddress } from './address';
import { bucketSink } from './sink';
import type { BucketSinkOptions } from './sink';

/**
 * A durable sink whose tables are files: in a folder, or in a bucket.
 *
 * @param address the bucket; `undefined`: they stay in `options.folder`
 * @throws FatalError from its methods: as {@link folderSink} and {@link bucketSink}
 * @example fileSink(undefined, { name: 'ndjson:out', folder: 'out', makes: 'tables', outputs, journal, prepare, isTable })
 */
export const fileSink = (
  address: BucketAddress | undefined,
  options: Omit<BucketSinkOptions, 'address'>,
): DurableSink => (address === undefined ? folderSink(options) : bucketSink({ ...options, address }));
