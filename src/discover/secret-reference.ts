import type { Json, JsonObject } from '../model';

/** How configurations that are written here name a secret, and what stands where the person has to fill it in. */
export interface SecretReference {
  readonly value: Json;
  /** Keys of `config` that it needs. */
  readonly attributes: JsonObject;
}

/** What a person has to replace. */
const PLACEHOLDER = '(fill in)';

/**
 * Refers to a secret without writing it: the one place that knows how.
 *
 * @param secret where the configuration is run at once, and not written
 */
export const secretReference = (attribute: string, secret?: string): SecretReference => ({
  value: { attr: attribute },
  attributes: { [attribute]: secret ?? PLACEHOLDER },
});
