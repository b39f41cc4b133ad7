import { createHash, scryptSync } from 'node:crypto';
import type { IterationConfiguration } from '../language/configuration/configuration';
import { entriesOf, objectFrom } from '../core/json/objects';
import { stringifyJson } from '../core/json/stringify';
import { withDescendants } from './tables';

const LENGTH = 16;
/** The bytes of the digest that distinguishes secrets. */
const SECRET_BYTES = 9;

type Iteration = Pick<IterationConfiguration, 'own' | 'api' | 'settings'>;

/**
 * Names the iterations of a configuration by the keys that they replace in `config`, so that each keeps its state when
 * its position changes: by a digest without jobs and secrets. If some differ in secrets alone, a slow and salted digest
 * of the secrets is added, from which they cannot be recovered; for a reference it is a digest of the reference. Equal
 * iterations are distinguished by their order. A single iteration has the name ''.
 *
 * @example iterationNames(configuration.iterations) // ['kX2…', 'p0a…']
 */
export function iterationNames(iterations: readonly Iteration[]): readonly string[] {
  const digests = iterations.map(digestOf);
  const isIncremental = iterations.some(({ settings }) =>
    settings.jobs.flatMap(withDescendants).some(({ incremental }) => incremental !== undefined),
  );
  const counts = new Map<string, number>();
  return iterations.map((iteration, at) => {
    const digest = digests[at] ?? '';
    if (iteration.own === undefined) return '';
    const isAlone = digests.filter((other) => other === digest).length === 1;
    // The slow digest is computed only if it is needed.
    const secrets = isAlone || !isIncremental ? '' : secretsOf(iteration, digest);
    const name = `${digest}${secrets}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}.${count}`;
  });
}

const isSecret = (key: string): boolean => key.startsWith('#');

function digestOf({ own }: Iteration): string {
  if (own === undefined) return '';
  const named = objectFrom(entriesOf(own).filter(([key]) => key !== 'jobs' && !isSecret(key)));
  return createHash('sha256').update(stringifyJson(named)).digest('base64url').slice(0, LENGTH);
}

function secretsOf({ own = {}, api }: Iteration, digest: string): string {
  const secrets = entriesOf(own).filter(([key]) => isSecret(key));
  if (secrets.length === 0) return '';
  const salt = stringifyJson([digest, api.baseUrl]);
  return `.${scryptSync(stringifyJson(objectFrom(secrets)), salt, SECRET_BYTES).toString('base64url')}`;
}
