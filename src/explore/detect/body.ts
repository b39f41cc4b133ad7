import { FatalError } from '../../core/errors/errors';
import { isList, isObject, objectFrom } from '../../core/json/keys';
import { parseData } from '../../core/json/parse';
import type { HttpMethod, Json, JsonObject } from '../../core/model';

/** What a request sends, as a configuration can have it. */
export interface SentBody {
  readonly body: Json;
  /** This is true where it is a form: then `body` has its parameters. */
  readonly isForm?: true;
}

const isJsonType = (type: string): boolean => /[/+]json\b/i.test(type);
const isFormType = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type.trim());

/**
 * A body as JSON or as a form. An object or array of JSON is never a form, whatever its type says: `curl -d` calls it one.
 *
 * @param type the header Content-Type
 * @throws FatalError CONFIG_INVALID for what is neither, and for a form that is not sent by POST
 * @example bodyOf('river=ALD&limit=10', undefined, 'POST') // { body: { river: 'ALD', limit: '10' }, isForm: true }
 */
export function bodyOf(text: string, type: string | undefined, method: HttpMethod): SentBody {
  const json = jsonOf(text);
  if (json !== undefined && (isList(json) || isObject(json) || isJsonType(type ?? ''))) return { body: json };
  if (type !== undefined && isJsonType(type)) throw refused('it is no JSON, though its Content-Type says so');
  if (type !== undefined && !isFormType(type))
    throw refused(`its Content-Type is ${type.slice(0, 60)}: only JSON and forms can be sent`);
  if (method !== 'POST')
    throw refused(`a form is sent by POST, and not by ${method}: for parameters of the address use -G`);
  return { body: formOf(text), isForm: true };
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseData(text);
  } catch {
    return undefined;
  }
}

function formOf(text: string): JsonObject {
  const pairs = [...new URLSearchParams(text)];
  const repeated = pairs.map(([name]) => name).find((name, at, all) => all.indexOf(name) !== at);
  if (repeated !== undefined) throw refused(`its form has "${repeated.slice(0, 60)}" several times`);
  return objectFrom(pairs);
}

const refused = (why: string): FatalError =>
  new FatalError('CONFIG_INVALID', `The body of the request cannot be written in a configuration: ${why}.`);
