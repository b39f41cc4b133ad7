import type { Json, JsonObject } from '../../core/model';

/** How configurations that are written here name a secret. */
export interface SecretReference {
  readonly value: Json;
  /** Keys of `config` that it needs. */
  readonly attributes: JsonObject;
}

/**
 * Refers to a secret without writing it: the one place that knows how.
 *
 * @param secret where the configuration is run at once, and not written
 */
export const secretReference = (attribute: string, secret?: string): SecretReference => ({
  value: { attr: attribute },
  attributes: { [attribute]: secret ?? { env: variableOf(attribute) } },
});

/** `#token` → `API_TOKEN`: a name such as `USER` alone has a meaning in every shell. */
export function variableOf(attribute: string): string {
  const words = attribute.replace(/([a-z])(?=[A-Z])/g, '$1_').match(/[A-Za-z0-9]+/g) ?? [];
  const name = words.join('_').toUpperCase();
  return name.startsWith('API_') ? name : `API_${name}`;
}
