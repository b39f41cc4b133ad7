import { entriesOf, isList, isObject, objectFrom } from '../../json/keys';
import type { Json } from '../../model';
import type { CallValues } from '../plan';

type Filling = CallValues['filling'];

/** `{name}`: where the value of a placeholder stands (docs/language/jobs.md#placeholders). */
export const PLACEHOLDER = /\{[^{}]+\}/g;
const UNSENDABLE = /[\0-\x20\x7f]/g;
const NOTHING_BUT_PLACEHOLDER = /^\{([^{}]+)\}$/;

/** A string with placeholders replaced by their values as they are; unknown ones stay. */
export const fillText = (text: string, filling: Filling): string =>
  text.replace(PLACEHOLDER, (written) => filling.get(written.slice(1, -1))?.text ?? written);

/**
 * As {@link fillText}, for an endpoint. What a URL cannot hold is percent-encoded here
 * (docs/language/requests.md#endpoints): a URL parser drops tabs and line breaks, and spaces at an end, and the
 * endpoint would be that of another resource.
 */
export const fillEndpoint = (endpoint: string, filling: Filling): string =>
  endpoint.replace(PLACEHOLDER, (written) => {
    const value = filling.get(written.slice(1, -1));
    return value === undefined ? written : value.text.replace(UNSENDABLE, (character) => encodeURIComponent(character));
  });

/**
 * All strings within a value with placeholders replaced (docs/extensions/placeholders-in-params.md); keys stay.
 *
 * @param asLists whether a string that is nothing but a placeholder of a batch becomes the array of its values
 */
export function fillJson(raw: Json, filling: Filling, asLists: boolean): Json {
  if (typeof raw === 'string') return (asLists ? valuesOf(raw, filling) : undefined) ?? fillText(raw, filling);
  if (isList(raw)) return raw.map((element) => fillJson(element, filling, asLists));
  if (isObject(raw)) return objectFrom(entriesOf(raw).map(([key, value]) => [key, fillJson(value, filling, asLists)]));
  return raw;
}

const valuesOf = (text: string, filling: Filling): readonly string[] | undefined =>
  filling.get(NOTHING_BUT_PLACEHOLDER.exec(text)?.[1] ?? '')?.values;

/** Whether a string within the value may hold a placeholder. */
export function mayHoldPlaceholder(raw: Json): boolean {
  if (typeof raw === 'string') return raw.search(PLACEHOLDER) >= 0;
  if (isList(raw)) return raw.some(mayHoldPlaceholder);
  return isObject(raw) && entriesOf(raw).some(([, value]) => mayHoldPlaceholder(value));
}
