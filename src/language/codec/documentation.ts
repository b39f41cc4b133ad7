import type { Json } from '../../core/model';

/** What a person should know of an option: it stands in the schema, in editors and in the manual. */
export interface Documentation {
  /** A description of one sentence or two. */
  readonly about: string;
  /** A value that a person might write. */
  readonly example: Json;
  /** What a number counts, for example `seconds`. */
  readonly unit?: string;
  /** The default in words, where it is no value of its own. */
  readonly default?: string;
  /** An old spelling: editors do not offer it. */
  readonly isOld?: boolean;
  /** True for a name that means nothing else to anybody: at any other place it is a mistake. */
  readonly distinctive?: boolean;
}
