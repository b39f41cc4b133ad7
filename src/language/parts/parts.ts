/** The parts of the language that a configuration can name: those that are built in, and those that a user adds. */
import type { AuthenticationDefinition } from './authentication/define';
import type { FunctionDefinition } from '../expressions/functions/define';
import type { MiddlewareDefinition } from './middleware';
import type { FormatDefinition } from './format/define';
import type { SinkDefinition, SinkOutline } from './sink';
import type { PaginationDefinition } from './pagination/define';

/** A part that an application may add: what `definePagination` and the like give. */
export type Part =
  | AuthenticationDefinition
  | FormatDefinition
  | FunctionDefinition
  | MiddlewareDefinition
  | PaginationDefinition
  | SinkDefinition;

/** A part that the codec of configurations reads, or that expressions call. */
type LanguagePart = Exclude<Part, MiddlewareDefinition | SinkDefinition>;

type Kind = LanguagePart['kind'];

/** A part of one kind. */
export type PartOf<K extends Part['kind']> = Extract<Part, { readonly kind: K }>;

/** Parts of the kinds that the codec of configurations reads, or that expressions call, by kind and name. */
export type LanguageParts = { readonly [K in Kind]: ReadonlyMap<string, PartOf<K>> };

/** All parts, by kind and name. */
export type Parts = LanguageParts & {
  /** By their names; a sink of a user, which stands first, may have the name of a built-in one. */
  readonly sink: ReadonlyMap<string, SinkOutline>;
};

/** Sorts parts by their names: the order of a module's exports depends on who has bundled it. */
export const byName = <P extends LanguagePart>(parts: Iterable<P>): ReadonlyMap<string, P> =>
  new Map(Array.from(parts, (part) => [part.name, part] as const).sort(([a], [b]) => (a < b ? -1 : 1)));
