import { entriesOf, isList, isObject, objectFrom } from '../../core/json/objects';
import { textOf } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import { isAbsolute } from '../../core/url/address';
import { fault, mapValid } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import type { Scope } from '../../language/expressions/expression';
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
 * Replaces the placeholders in all strings within a value (docs/language/jobs.md#placeholders); keys stay.
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

/** What an endpoint is planned with. */
export interface EndpointSurroundings {
  readonly baseUrl: string;
  readonly scope: Scope;
  /** The names of the placeholders of the job and of those above it. */
  readonly placeholders: readonly string[];
}

/**
 * Returns an endpoint with the attributes of `config` filled in (docs/language/requests.md#endpoints), percent-encoded.
 * Placeholders of calls come first, and stay.
 *
 * @param path the path of the endpoint in the configuration
 * @returns a fault if it makes no URL, or if a value makes a segment of its path that leads elsewhere
 */
export function planEndpoint(
  endpoint: string,
  path: string,
  { baseUrl, scope: { known }, placeholders }: EndpointSurroundings,
): Checked<string> {
  const { partition, window, attr } = known;
  const windowNames = window === undefined ? [] : [...window.keys()].map((end) => `window.${end}`);
  const ofCalls = new Set([...placeholders, ...(partition?.keys() ?? []), ...windowNames]);
  const aside = new Map<string, string>();
  const withAttributes = (sent: (text: string) => string): string =>
    endpoint.replace(PLACEHOLDER, (written, offset: number) => {
      const name = written.slice(1, -1);
      const value = ofCalls.has(name) ? undefined : attr?.get(name);
      if (value === undefined || value === null) return written;
      const text = textOf(value);
      if (ASIDE.test(text) && !endpoint.slice(0, offset).includes('?')) aside.set(written, text);
      return sent(text);
    });
  const filled = withAttributes(encodeURIComponent);
  const meant = segmentsOf(withAttributes(() => 'x'));
  if (segmentsOf(filled).some((segment, at) => ASIDE.test(segment) && !ASIDE.test(meant[at] ?? ''))) {
    const values = [...aside].map(([written, text]) => `${written} is ${JSON.stringify(text)}`);
    return fault(path, `${values.join(', ')}: that would make another path, encoded or not`);
  }
  return mapValid(endpointIn(baseUrl, filled.replace(PLACEHOLDER, '1'), path), () => filled);
}

/** Matches a segment that makes another path of the one around it; URL parsers decode dots first. */
const ASIDE = /^(?:(?:\.|%2e){1,2})?$/i;

const segmentsOf = (endpoint: string): readonly string[] => endpoint.replace(/[?#].*$/s, '').split('/');

/** Returns whether the host of this endpoint is written literally, so that no value of a response can change it. */
export const namesItsHost = (endpoint: string): boolean =>
  isAbsolute(endpoint) && !(AUTHORITY.exec(endpoint)?.[0] ?? '').includes('{');
