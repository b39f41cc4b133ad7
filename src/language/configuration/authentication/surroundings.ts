import type { Surroundings } from '../../parts/authentication/surroundings';
import { invalid } from '../../codec/checked';
import { readAt, type Input } from '../../codec/codec';
import type { Path } from '../../codec/finding';
import { text, valueOf } from '../../codec/primitives';
import { isBlank } from '../../../core/json/blank';
import { ownValue } from '../../../core/json/keys';
import type { JsonObject } from '../../../core/model';
import { oauthWith } from './oauth-credentials';
import type { Parts } from '../../parts/parts';

/** What surrounds `api.authentication`. */
export interface Around {
  readonly parts: Parts;
  /** The whole configuration. */
  readonly document: JsonObject;
  /** The effective `config` of the run. */
  readonly config: JsonObject;
}

/**
 * What a type of authentication may take from elsewhere.
 *
 * @param type its name, for messages
 */
export function surroundingsOf(type: string, { document, config }: Around): Surroundings {
  const at = ([first = '', ...rest]: Path): Input =>
    rest.reduce<Input>((place, key) => valueOf(place, key), first === 'config' ? config : ownValue(document, first));
  return {
    at: (path, inner) => readAt(inner, at(path), path),
    oauth: (data) => oauthWith(ownValue(document, 'authorization'), data),
    attribute: (...names) => {
      const key = names.find((name) => !isBlank(ownValue(config, name)));
      if (key !== undefined) return readAt(text, ownValue(config, key), ['config', key]);
      const last = names.at(-1) ?? '';
      const others = names.slice(0, -1).map((name) => `"${name}"`);
      const or = others.length === 0 ? '' : ` (or ${others.join(', ')})`;
      return invalid({ path: ['config', last], message: `required by ${type} authentication: "${last}"${or}` });
    },
  };
}
