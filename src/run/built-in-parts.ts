/** The built-in parts of Headwater: one registry for each kind. */
import * as types from '../auth/types';
import * as formats from '../http/formats/formats';
import * as functions from '../language/expressions/functions/functions';
import type { AuthenticationDefinition } from '../language/parts/authentication';
import type { FormatDefinition } from '../language/parts/format';
import type { FunctionDefinition } from '../language/expressions/functions/define';
import type { PaginationDefinition } from '../language/parts/pagination/pagination';
import { byName, type Part, type Parts, partsWith } from '../language/parts/parts';
import type { SinkOutline } from '../language/parts/sink';
import type { PartNames } from '#written';
import * as outlines from '../sinks/outlines';
import * as methods from '../sources/pagination/methods';

type Registry = Readonly<Record<string, { readonly name: string }>>;

/** Returns the registry. It does not compile if a line for a part of the published types is missing. */
function complete<K extends keyof PartNames, R extends Registry>(
  _: K,
  registry: [PartNames[K]] extends [R[keyof R]['name']] ? R : never,
): R {
  return registry;
}

/** The built-in parts of Headwater. */
export const BUILT_IN: Parts = {
  authentication: byName<AuthenticationDefinition>(Object.values(complete('authentication', types))),
  pagination: byName<PaginationDefinition>(Object.values(complete('pagination', methods))),
  format: byName<FormatDefinition>(Object.values(complete('format', formats))),
  function: byName<FunctionDefinition>(Object.values(complete('function', functions))),
  sink: new Map(Object.values<SinkOutline>(complete('sink', outlines)).map((sink) => [sink.name, sink])),
};

/** Returns the parts of Headwater and those of an application, or the faults of the latter. */
export const partsWithBuiltIn = (components: readonly Part[]): ReturnType<typeof partsWith> =>
  partsWith(components, BUILT_IN);
