import { createHash } from 'node:crypto';
import type { IterationConfiguration } from '../config/configuration';
import { entriesOf, objectFrom } from '../json/keys';
import { stringifyJson } from '../json/stringify';

const LENGTH = 16;

/**
 * Names the iterations of a configuration by what they replace in `config`, so that each keeps what belongs to it wherever it stands:
 * by a digest without jobs and secrets, and by their order where these are all that tells them apart. The only one is ''.
 *
 * @example iterationNames(configuration.iterations) // ['kX2…', 'p0a…']
 */
export function iterationNames(iterations: readonly IterationConfiguration[]): readonly string[] {
  const counts = new Map<string, number>();
  return iterations.map(({ own }) => {
    if (own === undefined) return '';
    const told = objectFrom(entriesOf(own).filter(([key]) => key !== 'jobs' && !key.startsWith('#')));
    const digest = createHash('sha256').update(stringifyJson(told)).digest('base64url').slice(0, LENGTH);
    const count = (counts.get(digest) ?? 0) + 1;
    counts.set(digest, count);
    return count === 1 ? digest : `${digest}.${count}`;
  });
}
