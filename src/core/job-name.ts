/** The name of a job for people. */
import type { JobRef } from './model';

/** The generated id of a job without one: a digest, which says nothing to a person. */
const DIGEST = /^[0-9a-f]{40}$/;

/**
 * Returns the `id` of a job that has one of its own, else its `dataType`, else its endpoint: never a digest.
 *
 * @example jobNameOf({ id: 'da39a3ee5e6b4b0d3255bfef95601890afd80709', dataType: 'user', endpoint: 'users' }) // 'user'
 */
export const jobNameOf = ({ id, dataType, endpoint }: Pick<JobRef, 'id' | 'dataType' | 'endpoint'>): string =>
  [DIGEST.test(id) ? '' : id, dataType].find((name) => name !== '') ?? endpoint;
