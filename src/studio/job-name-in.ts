/** What people call a job: as the tree of the page has it, which knows what is written, and no default. */
import { isList, isObject, ownValue } from '../core/json/keys';
import type { Json } from '..';

/**
 * The `dataType` of a job, else its `id`, else its endpoint: never a digest.
 *
 * @param path in the configuration
 * @returns `undefined` for none, and where the endpoint is an expression
 * @example jobNameIn({ config: { jobs: [{ endpoint: 'rivers' }] } }, 'config.jobs[0]') // 'rivers'
 */
export function jobNameIn(config: Json, path: string): string | undefined {
  const root = memberOf(config, 'parameters') ?? config;
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const job = keys.reduce<Json | undefined>(
    (inner, key) => (isList(inner) ? inner[Number(key)] : memberOf(inner, key)),
    root,
  );
  const names = ['dataType', 'id', 'endpoint'].map((key) => memberOf(job, key));
  return names.filter((name) => typeof name === 'string' || typeof name === 'number').map(String)[0];
}

const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) ? ownValue(value, key) : undefined;
