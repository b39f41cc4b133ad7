import { isObject } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import type { Json, JsonObject } from '../../core/model';

/** What the key says beside being one. */
export interface KeyFile {
  readonly key: string;
  /** Headers and claims that are taken where the configuration has none. */
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/**
 * A key, or what Google gives for a service account: an object of JSON with the key in it, and who signs with it.
 *
 * @example keyFileOf('{"private_key":"-----BEGIN…","client_email":"a@b.example"}').claims // { iss: 'a@b.example' }
 */
export function keyFileOf(text: string): KeyFile {
  const file = text.trimStart().startsWith('{') ? objectIn(text) : undefined;
  const key = file?.['private_key'];
  if (file === undefined || typeof key !== 'string') return { key: text, header: {}, claims: {} };
  return {
    key,
    header: taken({ kid: file['private_key_id'] }),
    claims: taken({ iss: file['client_email'], aud: file['token_uri'] }),
  };
}

const taken = (values: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
  );

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
