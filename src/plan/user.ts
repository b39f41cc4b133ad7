import { createHash } from 'node:crypto';
import type { IterationConfiguration } from '../language/configuration/configuration';
import { referencedIn } from '../language/configuration/referenced';
import { entriesOf } from '../core/json/keys';
import type { Json } from '../core/model';

/**
 * A digest of what tells one user of the API from another: where it is, how requests are authenticated, and the attributes
 * that this reads. Other attributes, such as the parameters of a job, do not count.
 */
export function userOf({ api, attributes }: IterationConfiguration, baseUrl: string): string {
  const { authentication } = api;
  const isRead = referencedIn(authentication?.options as Json | undefined);
  const read = entriesOf(attributes).filter(([name]) => isRead(name));
  return createHash('sha256')
    .update(textOf([baseUrl, authentication ?? null, read]))
    .digest('hex');
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
