/** A job that is being put together: its parameters, headers and body, and how components of a manifest name them. */
import { entriesOf, isList, isObject, ownValue } from '../../../core/json/objects';
import type { Json } from '../../../core/model';
import { textAt } from './manifest';
import type { Component } from './manifest';
import { Untranslatable } from './values';
import type { Values } from './values';

/** A job that is being put together. */
export interface Draft {
  readonly params: Record<string, Json>;
  readonly headers: Record<string, Json>;
  /** The members of a JSON body; absent: there is none. */
  body?: Record<string, Json>;
  /** The members of a form; absent: there is none. */
  form?: Record<string, Json>;
}

/** Returns the type of a component. */
export const typeOf = (component: Json | undefined, byDefault: string): string =>
  isObject(component) ? textAt(component, 'type', byDefault) : byDefault;

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

/** Sets a member at the keys that lead to it. */
function setAt(object: Record<string, Json>, [key = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) object[key] = value;
  else {
    const inner = object[key];
    const made: Record<string, Json> = Object.fromEntries(isObject(inner) ? entriesOf(inner) : []);
    setAt(made, rest, value);
    object[key] = made;
  }
}

/** Returns the keys of a request option, and where it is. */
export function placeOf(
  option: Component,
  values: Values,
): { readonly into: string; readonly keys: readonly string[] } {
  const path = ownValue(option, 'field_path');
  const keys = isList(path)
    ? path.map((key) => values.text(key, option))
    : [values.text(ownValue(option, 'field_name'), option)];
  return { into: textAt(option, 'inject_into', 'request_parameter'), keys };
}

/** Puts a value where a request option says. */
export function put(draft: Draft, option: Component, values: Values, value: Json): void {
  const { into, keys } = placeOf(option, values);
  if (into === 'request_parameter') setAt(draft.params, keys, value);
  else if (into === 'header') draft.headers[keys[0] ?? ''] = typeof value === 'number' ? String(value) : value;
  else if (into === 'body_json') setAt((draft.body ??= {}), keys, value);
  else if (into === 'body_data') setAt((draft.form ??= {}), keys, value);
  else throw new Untranslatable(`inject_into ${into}`);
}

/** Puts a value where an option of a component says, if it has the option. */
export function putOption(draft: Draft, component: Component, name: string, values: Values, value: Json): void {
  const option = componentAt(component, name);
  if (option !== undefined) put(draft, option, values, value);
}
