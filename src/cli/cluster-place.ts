import { FatalError } from '..';
import type { ClusterOptionsOfPlace } from '../temporal';

/** The flags that say where a cluster is. */
export interface PlaceFlags {
  readonly temporal: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

/**
 * Returns where the cluster is, with its key from the environment.
 *
 * @throws FatalError CONFIG_INVALID without a key
 */
export function placeIn({ temporal: address, namespace, taskQueue }: PlaceFlags): ClusterOptionsOfPlace {
  const key = process.env['HEADWATER_KEY'] ?? '';
  if (key === '') throw new FatalError('CONFIG_INVALID', NO_KEY);
  return { address, namespace, taskQueue, key };
}

const NO_KEY =
  'HEADWATER_KEY is not set: configurations go through the cluster encrypted. Make a key with "openssl rand -base64 32", and set it ' +
  'to the same value for all workers and for those who submit runs.';
