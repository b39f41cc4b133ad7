/** What an API gives to a run, and what it leaves out. */
import type { Value } from './json-value';

/** What a kind of destination does not take at all, and is therefore not sent to it. */
export interface Flavour {
  /** No place has objects here and other values there, which the language's own tables refuse. */
  readonly alike?: boolean;
  /** No NUL and no halves of characters, which PostgreSQL refuses. */
  readonly storable?: boolean;
}

/** The items of a call, by page, with what its rows have beside them. */
export interface Feed {
  readonly dataType: string;
  readonly extra: ReadonlyMap<string, string>;
  readonly pages: readonly (readonly Value[])[];
}
