import type { Item, JsonScalar } from '../../core/model';
import type { Functions } from './functions/define';

/** What expressions may refer to (docs/language/expressions.md#contexts). */
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
  /** The item itself: its names are paths. */
  readonly item?: Item;
}

/** What all expressions of a configuration may use before a run. */
export interface Scope {
  /** The functions that may be called. */
  readonly functions: Functions;
  /** The values that are known already. */
  readonly known: Contexts;
  /** Texts that are secrets wherever they stand: those of references (docs/language/secrets.md). */
  readonly secretTexts?: ReadonlySet<string>;
}

/** Where an expression stands: what it may refer to. */
export interface Place {
  /** The path in the configuration, for example `config.jobs[0].params`. */
  readonly path: string;
  readonly contexts: readonly ContextName[];
  /** The functions that may be called. */
  readonly functions: Functions;
  /** Contexts that are known before the run: a reference to a name that is missing here is a fault at once. */
  readonly known?: Contexts;
  /** Texts that are secrets wherever they stand. */
  readonly secretTexts?: ReadonlySet<string>;
}
