import { entriesOf, isList, isObject, objectFrom } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { isAbsolute } from '../../core/url/address';
import type { Checked } from '../../language/codec/checked';
import { endpointIn } from '../../language/requests/template';
import type { CallValues } from '../plan';

type PlaceholderBindings = CallValues['bindings'];

/** Matches `{name}`, a placeholder (docs/language/jobs.md#placeholders). */
const PLACEHOLDER = /\{[^{}]+\}/g;
const UNSENDABLE = /[\0-\x20\x7f]/g;
const NOTHING_BUT_PLACEHOLDER = /^\{([^{}]+)\}$/;

/** Returns a string with placeholders replaced by their values; unknown placeholders stay. */
export const fillText = (text: string, bindings: PlaceholderBindings): string =>
  text.replace(PLACEHOLDER, (written) => bindings.get(written.slice(1, -1))?.text ?? written);

/**
 * Does the same as {@link fillText}, for an endpoint. Characters that are not valid in a URL are percent-encoded here
 * (docs/language/requests.md#endpoints): a URL parser drops tabs and line breaks, and spaces at the ends, and the
 * endpoint would address another resource.
 */
export const fillEndpoint = (endpoint: string, bindings: PlaceholderBindings): string =>
  endpoint.replace(PLACEHOLDER, (written) => {
    const value = bindings.get(written.slice(1, -1));
    return value === undefined ? written : value.text.replace(UNSENDABLE, (character) => encodeURIComponent(character));
  });

/**
 * Replaces the placeholders in all strings within a value (docs/extensions/placeholders-in-params.md); keys stay.
 *
 * @param asLists whether a string that is only a placeholder of a batch becomes the array of its values
 */
export function fillJson(raw: Json, bindings: PlaceholderBindings, asLists: boolean): Json {
  if (typeof raw === 'string') return (asLists ? valuesOf(raw, bindings) : undefined) ?? fillText(raw, bindings);
  if (isList(raw)) return raw.map((element) => fillJson(element, bindings, asLists));
  if (isObject(raw)) return objectFrom(entriesOf(raw).map(([key, value]) => [key, fillJson(value, bindings, asLists)]));
  return raw;
}

const valuesOf = (text: string, bindings: PlaceholderBindings): readonly string[] | undefined =>
  bindings.get(NOTHING_BUT_PLACEHOLDER.exec(text)?.[1] ?? '')?.values;

/** Returns whether a string within the value may hold a placeholder. */
export function mayHoldPlaceholder(raw: Json): boolean {
  if (typeof raw === 'string') return raw.search(PLACEHOLDER) >= 0;
  if (isList(raw)) return raw.some(mayHoldPlaceholder);
  return isObject(raw) && entriesOf(raw).some(([, value]) => mayHoldPlaceholder(value));
}

/** Scheme, host and port of an absolute address. */
const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** Checks an endpoint as {@link endpointIn} does, with unfilled placeholders. */
export const checkEndpoint = (baseUrl: string, endpoint: string, path: string): Checked<string> =>
  endpointIn(baseUrl, endpoint.replace(PLACEHOLDER, '1'), path);

/** Returns whether the host of this endpoint is written literally, so that no value of a response can change it. */
export const namesItsHost = (endpoint: string): boolean =>
  isAbsolute(endpoint) && !(AUTHORITY.exec(endpoint)?.[0] ?? '').includes('{');
