/** The parts of the language that a configuration can name: those that are built in, and those that a user adds. */
import type { AuthenticationDefinition } from '../../auth/define';
import * as types from '../../auth/types';
import type { FunctionDefinition } from '../../expressions/functions/define';
import * as functions from '../../expressions/functions/functions';
import type { MiddlewareDefinition } from '../../http/middleware/define';
import type { FormatDefinition } from '../../http/formats/define';
import * as formats from '../../http/formats/formats';
import type { SinkDefinition, SinkOutline } from '../../sinks/define-sink';
import * as outlines from '../../sinks/outlines';
import type { PaginationDefinition } from '../../sources/pagination/define';
import * as methods from '../../sources/pagination/methods';
import type { PartNames } from '#written';

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

type Registry<N> = Readonly<Record<string, { readonly name: N }>>;

/**
 * The registry, if it has all parts that the language has by its published types: one that lacks a line does not
 * compile.
 */
const complete =
  <K extends keyof PartNames>() =>
  <R extends Registry<PartNames[K]>>(registry: [PartNames[K]] extends [R[keyof R]['name']] ? R : never): R =>
    registry;

/** The parts of Headwater itself. */
export const BUILT_IN: Parts = {
  authentication: byName<AuthenticationDefinition>(Object.values(complete<'authentication'>()(types))),
  pagination: byName<PaginationDefinition>(Object.values(complete<'pagination'>()(methods))),
  format: byName<FormatDefinition>(Object.values(complete<'format'>()(formats))),
  function: byName<FunctionDefinition>(Object.values(complete<'function'>()(functions))),
  sink: new Map(Object.values<SinkOutline>(complete<'sink'>()(outlines)).map((sink) => [sink.name, sink])),
};
