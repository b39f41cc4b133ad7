import type { JsonScalar } from '../../core/model';
import { didYouMean, namesText } from './nearest';
import type { ContextName } from './place';

type Names = ReadonlyMap<string, JsonScalar>;

/** The value that a reference names; `null` counts as not there (docs/language/configuration.md#attributes). */
export const valueOf = (names: Names | undefined, name: string): Exclude<JsonScalar, null> | undefined =>
  names?.get(name) ?? undefined;

/** The attributes that mappings give are many, and nobody means them. */
const isOfMappings = (name: string): boolean => name.startsWith('mappings.');

/** Why a reference finds nothing, and what to write instead (docs/language/expressions.md#errors). */
export function notFound(context: ContextName, name: string, names: Names | undefined): string {
  const complaint = `Error evaluating user function - ${context} '${name}' not found!`;
  const known = [...(names?.keys() ?? [])];
  if (known.includes(name)) return `${complaint} Its value is null.`;
  const inner = known.filter((other) => other.startsWith(`${name}.`));
  if (inner.length > 0) return `${complaint} It holds several values, name one of them: ${namesText(inner)}.`;
  const likely = known.filter((other) => !isOfMappings(other));
  return likely.length === 0 ? `${complaint} There are none.` : complaint + didYouMean(name, likely);
}
