import type { Item, Json, JsonScalar } from '../../core/model';
import type { Functions } from './functions/define';
import { meantOrKnown, namesText } from '../codec/finding';

/** The contexts that expressions may refer to (docs/language/expressions.md#contexts). */
export const CONTEXTS = [
  'attr',
  'time',
  'query',
  'request',
  'response',
  'responseHeader',
  'state',
  'authorization',
  'signature',
  'consumer',
  'user',
  'placeholder',
  'partition',
  'window',
  'item',
] as const;
export type ContextName = (typeof CONTEXTS)[number];

/** The values of each context by their flattened names (docs/language/configuration.md#attributes). */
export interface Contexts extends Readonly<
  Partial<Record<Exclude<ContextName, 'item'>, ReadonlyMap<string, JsonScalar>>>
> {
  /** The item itself; its names are paths. */
  readonly item?: Item;
  /** Values that templates of Jinja have by their own names, where the place gives any (docs/language/jinja.md). */
  readonly variables?: Readonly<Record<string, Json>>;
}

/** Everything that all expressions of a configuration may use before a run. */
export interface Scope {
  /** The functions that may be called. */
  readonly functions: Functions;
  /** The values that are known already. */
  readonly known: Contexts;
  /** Texts that are secrets everywhere: the values of references (docs/language/secrets.md). */
  readonly secretTexts?: ReadonlySet<string>;
}

/** The place of an expression, and what it may refer to. */
export interface Place {
  /** The path in the configuration, for example `config.jobs[0].params`. */
  readonly path: string;
  readonly contexts: readonly ContextName[];
  /** The functions that may be called. */
  readonly functions: Functions;
  /** Contexts that are known before the run: a reference to a name that is missing here is a fault at once. */
  readonly known?: Contexts;
  /** Texts that are secrets everywhere. */
  readonly secretTexts?: ReadonlySet<string>;
  /** The names that templates of Jinja may read here beside those that they are given. */
  readonly variables?: readonly string[];
}

type Names = ReadonlyMap<string, JsonScalar>;

/** Returns the value that a reference names; `null` counts as missing (docs/language/configuration.md#attributes). */
export const valueOf = (names: Names | undefined, name: string): Exclude<JsonScalar, null> | undefined =>
  names?.get(name) ?? undefined;

/** Returns whether an attribute comes from mappings: there are many of these, and no expression means them. */
const isOfMappings = (name: string): boolean => name.startsWith('mappings.');

/** Returns why a reference has no value, and what to write instead (docs/language/expressions.md#errors). */
export function notFound(context: ContextName, name: string, names: Names | undefined): string {
  const complaint = `Error evaluating user function - ${context} '${name}' not found!`;
  const known = [...(names?.keys() ?? [])];
  if (known.includes(name)) return `${complaint} Its value is null.`;
  const inner = known.filter((other) => other.startsWith(`${name}.`));
  if (inner.length > 0) return `${complaint} It holds several values, name one of them: ${namesText(inner)}.`;
  const likely = known.filter((other) => !isOfMappings(other));
  return likely.length === 0 ? `${complaint} There are none.` : complaint + meantOrKnown(name, likely);
}
