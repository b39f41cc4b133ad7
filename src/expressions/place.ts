import type { JsonScalar } from '../model';

/** What expressions may refer to (language 7.1). */
export type ContextName =
  'attr' | 'time' | 'query' | 'request' | 'response' | 'state' | 'authorization' | 'consumer' | 'user' | 'placeholder';

/** The values of each context by their flattened names (language 1.4). */
export type Contexts = Readonly<Partial<Record<ContextName, ReadonlyMap<string, JsonScalar>>>>;

/** Where an expression stands: what it may refer to. */
export interface Place {
  /** Path in the configuration, for example `config.jobs[0].params`. */
  readonly path: string;
  readonly contexts: readonly ContextName[];
  /** Whether the function `urlencode` may be used: only in placeholders. */
  readonly urlencode: boolean;
  /** Contexts that are known before the run: a reference to a name that is missing here is a fault at once. */
  readonly known?: Contexts;
}
