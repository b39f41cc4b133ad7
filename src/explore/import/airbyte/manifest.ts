/** The components of a manifest of Airbyte: references and parameters are put where they are meant (docs/airbyte.md). */
import { FatalError } from '../../../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom, ownValue, stringAt, together } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';

/** A component of a manifest, with the parameters that reach it in `$parameters`. */
export type Component = JsonObject;

const REF = '$ref';
const PARAMETERS = '$parameters';
/** The most references that lead from one to another. */
const DEEPEST = 100;

const refused = (message: string): FatalError => new FatalError('CONFIG_INVALID', `The manifest: ${message}`);

/** Returns a manifest with values in place of `$ref`; keys beside a reference win over those of its target. */
function withoutReferences(manifest: JsonObject): JsonObject {
  const known = new Map<string, Json>();
  const target = (reference: string, depth: number): Json => {
    const before = known.get(reference);
    if (before !== undefined) return before;
    if (depth > DEEPEST) throw refused(`${reference} leads back to itself`);
    const found = reference
      .slice(2)
      .split('/')
      .reduce<Json | undefined>((value, key) => {
        if (isList(value)) return value[Number(key)];
        return isObject(value) ? ownValue(value, key) : undefined;
      }, manifest);
    if (found === undefined) throw refused(`${reference} leads nowhere`);
    const resolved = resolve(found, depth + 1);
    known.set(reference, resolved);
    return resolved;
  };
  const resolve = (value: Json, depth: number): Json => {
    if (isList(value)) return value.map((each) => resolve(each, depth));
    if (typeof value === 'string' && value.startsWith('#/')) return target(value, depth);
    if (!isObject(value)) return value;
    const own = entriesOf(value).filter(([key]) => key !== REF);
    const resolved = own.map(([key, member]) => [key, resolve(member, depth)] as const);
    const reference = ownValue(value, REF);
    if (reference === undefined) return objectFrom(resolved);
    const beneath = typeof reference === 'string' ? target(reference, depth) : resolve(reference, depth);
    return isObject(beneath) ? objectFrom(new Map([...entriesOf(beneath), ...resolved])) : beneath;
  };
  return resolve(manifest, 0) as JsonObject;
}

/** Fields whose values are components, or lists of these. */
const COMPONENTS: ReadonlySet<string> = new Set(
  `streams stream full_refresh_stream incremental_stream retriever download_retriever requester creation_requester
   polling_requester download_requester login_requester request_authentication authenticator authenticators
   refresh_token_updater error_handler error_handlers response_filters backoff_strategies decoder record_selector extractor
   record_expander record_filter paginator pagination_strategy page_token_option page_size_option partition_router
   parent_stream_configs incremental_sync start_datetime end_datetime request_option start_time_option end_time_option
   inject_into transformations fields key_transformation schema_loader`.split(/\s+/),
);

/** Returns a component with the parameters of those above it, which are fields of it, too, where it has none. */
function withParameters(component: Component, above: JsonObject = {}): Component {
  const own = ownValue(component, PARAMETERS);
  const parameters = together(above, isObject(own) ? own : {});
  const fields = new Map(entriesOf(component).filter(([key]) => key !== PARAMETERS));
  for (const [name, value] of entriesOf(parameters)) {
    const present = fields.get(name);
    if (present === undefined || present === null || present === '') fields.set(name, value);
  }
  const inner = (value: Json, name: string): Json => {
    const others = objectFrom(entriesOf(parameters).filter(([key]) => key !== name));
    if (isList(value)) return value.map((each) => (isObject(each) ? withParameters(each, others) : each));
    return isObject(value) ? withParameters(value, others) : value;
  };
  // Authenticators to choose from are components by name.
  const named = (value: Json): Json =>
    isObject(value) && ownValue(value, 'type') === undefined
      ? objectFrom(entriesOf(value).map(([name, each]) => [name, inner(each, name)] as const))
      : inner(value, 'authenticators');
  const made = [...fields].map(([name, value]) => {
    if (!COMPONENTS.has(name)) return [name, value] as const;
    return [name, name === 'authenticators' ? named(value) : inner(value, name)] as const;
  });
  return objectFrom([...made, [PARAMETERS, parameters]]);
}

/** Returns the streams of a manifest, resolved. */
export function streamsOf(manifest: Json): readonly Component[] {
  if (!isObject(manifest)) throw new FatalError('CONFIG_INVALID', 'The manifest is no object.');
  const streams = ownValue(withoutReferences(manifest), 'streams');
  if (!isList(streams)) throw refused('it has no streams');
  return streams.filter(isObject).map((stream) => withParameters(stream));
}

/** A construct of a manifest that cannot be said in a configuration. */
export class Untranslatable extends Error {
  /** The construct, in a few words, such as `JwtAuthenticator`. */
  readonly construct: string;
  constructor(construct: string, detail = '') {
    const named = construct === '' ? 'a part without a type' : construct;
    super(detail === '' ? named : `${named}: ${detail}`);
    this.construct = named;
  }
}

/** Returns a string of a component, or the default if it has none. */
export const textAt = (component: Component, name: string, byDefault = ''): string =>
  stringAt(component, name) ?? byDefault;

/** Returns the name of a stream. */
export const nameOf = (stream: Component): string => textAt(stream, 'name');

/** Returns the type of a component. A class makes it one of Python, whatever stands in its place by default. */
export const typeOf = (component: Json | undefined, byDefault: string): string =>
  stringAt(component, 'type') ?? (stringAt(component, 'class_name') === undefined ? byDefault : 'a class in Python');

/** Returns a component of another one. */
export const componentAt = (component: Component, name: string): Component | undefined => {
  const found = ownValue(component, name);
  return isObject(found) ? found : undefined;
};

/** Returns a required part of a component. */
export function partOf(component: Component, name: string, ...types: readonly string[]): Component {
  const part = componentAt(component, name);
  if (part === undefined) throw new Untranslatable(`${typeOf(component, 'a component')} without ${name}`);
  const type = typeOf(part, types[0] ?? '');
  if (!types.includes(type)) throw new Untranslatable(type);
  return part;
}

/** Returns the components of a field that has one or a list of them. */
export const componentsIn = (component: Component, name: string): readonly Component[] =>
  [ownValue(component, name) ?? []].flat().filter(isObject);

/** Returns the members of an object in a component, which may have parameters beside them. */
export const membersOf = (written: Json | undefined): readonly (readonly [string, Json])[] =>
  isObject(written) ? entriesOf(written).filter(([key]) => key !== PARAMETERS) : [];
