import { entriesOf, isList, isObject } from '../../core/json/keys';
import type { Input } from '../codec/codec';

/**
 * Whether an attribute is read somewhere in the configuration, as `{"attr": "name"}` or `{"attr": "name.inner"}`. Such a
 * one is a user attribute, whatever its name looks like.
 */
export function referencedIn(document: Input): (name: string) => boolean {
  let names: readonly string[] | undefined;
  return (name) => {
    names ??= namesIn(document);
    return names.some((read) => read === name || read.startsWith(`${name}.`));
  };
}

function namesIn(value: Input): readonly string[] {
  if (isList(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  return entriesOf(value).flatMap(([key, inner]) =>
    key === 'attr' && typeof inner === 'string' ? [inner] : namesIn(inner),
  );
}
