/** Reads a manifest of Airbyte: its references and parameters are put where they are meant (docs/airbyte.md). */
import { FatalError } from '../../../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
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
const COMPONENTS: ReadonlySet<string> = new Set([
  ...[
    'streams',
    'stream',
    'retriever',
    'requester',
    'record_selector',
    'extractor',
    'record_filter',
    'record_expander',
  ],
  ...['paginator', 'pagination_strategy', 'page_token_option', 'page_size_option', 'authenticator', 'authenticators'],
  ...['error_handler', 'error_handlers', 'response_filters', 'backoff_strategies', 'partition_router'],
  ...['parent_stream_configs', 'incremental_sync', 'start_datetime', 'end_datetime', 'request_option'],
  ...['start_time_option', 'end_time_option', 'inject_into', 'transformations', 'fields', 'schema_loader', 'decoder'],
  ...[
    'full_refresh_stream',
    'incremental_stream',
    'login_requester',
    'request_authentication',
    'refresh_token_updater',
  ],
  ...['download_retriever', 'creation_requester', 'polling_requester', 'download_requester', 'key_transformation'],
]);

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
export function streamsOf(manifest: JsonObject): readonly Component[] {
  const streams = ownValue(withoutReferences(manifest), 'streams');
  if (!isList(streams)) throw refused('it has no streams');
  return streams.filter(isObject).map((stream) => withParameters(stream));
}

/** Returns a string of a component, or the default if it has none. */
export function textAt(component: Component, name: string, byDefault = ''): string {
  const value = ownValue(component, name);
  return typeof value === 'string' ? value : byDefault;
}

/** Returns the name of a stream. */
export const nameOf = (stream: Component): string => textAt(stream, 'name');

/** Returns objects as one; a later one wins. */
export const together = (...parts: readonly JsonObject[]): JsonObject => objectFrom(parts.flatMap(entriesOf));
