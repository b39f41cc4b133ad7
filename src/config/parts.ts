/** The parts of the language that a configuration can name: those that are built in, and those that a user adds. */
import type { AuthenticationDefinition } from '../auth/define';
import * as types from '../auth/types';
import type { PaginationDefinition } from '../sources/pagination/define';
import * as methods from '../sources/pagination/methods';

/** A part, by its kind. */
export type Part = AuthenticationDefinition | PaginationDefinition;

type Kind = Part['kind'];

/** All parts, by kind and name. */
export type Parts = { readonly [K in Kind]: ReadonlyMap<string, Extract<Part, { readonly kind: K }>> };

/** In the order of their names: that of a module's exports depends on who has bundled it. */
const byName = <P extends Part>(parts: Readonly<Record<string, P>>): ReadonlyMap<string, P> =>
  new Map(
    Object.values(parts)
      .map((part) => [part.name, part] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The parts of Headwater itself. */
export const BUILT_IN: Parts = {
  authentication: byName<AuthenticationDefinition>(types),
  pagination: byName<PaginationDefinition>(methods),
};
