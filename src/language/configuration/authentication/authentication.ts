import { map as mapRight, right, type Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import type { ChosenAuthentication } from '../../parts/authentication/authentication';
import type { AuthenticationDefinition } from '../../parts/authentication/define';
import { choose, expected, map, noting, type Codec, type Input } from '../../codec/codec';
import { asObject, constant, namedOf, valueOf } from '../../codec/primitives';
import { always, fieldsSchema, record, required } from '../../codec/record';
import { blank, named, tolerant, type Schema } from '../../codec/schema';
import { isBlank } from '../../../core/json/blank';
import { ownValue } from '../../../core/json/keys';
import { keysOfType, keysWithoutType } from './keys';
import { surroundingsOf, type Around } from './surroundings';
import type { Parts } from '../../parts/parts';

const none = (isSwitchedOff: boolean, parts: Parts): Codec<undefined> =>
  map(
    'NoAuthentication',
    record(
      'BlankType',
      { type: always(constant('none'), { about: 'Blank: there is no authentication.', example: '' }) },
      keysWithoutType(isSwitchedOff, parts),
    ),
    () => undefined,
  );

/** Old names of types, in the order of their names. */
const aliasesOf = ({ authentication }: Parts): readonly (readonly [string, AuthenticationDefinition])[] =>
  [...authentication.values()].flatMap((type) => (type.aliases ?? []).map((alias) => [alias, type] as const));

const typesOf = (parts: Parts): ReadonlyMap<string, AuthenticationDefinition> =>
  new Map([...parts.authentication, ...aliasesOf(parts)]);

/** Tells whether the type takes an option from its old place, `api.<key>`, since it stands nowhere else. */
export function isOldPlaceUsed(written: Input, key: string, parts: Parts): boolean {
  const name = valueOf(written, 'type');
  const type = typeof name === 'string' ? typesOf(parts).get(name) : undefined;
  return Object.entries(type?.oldPlaces ?? {}).some(
    ([option, place]) => place === key && isBlank(valueOf(written, option)),
  );
}

/** A type by the name in `type`, with a warning where that is an old one. */
const chosen = (type: AuthenticationDefinition, around: Around): Codec<ChosenAuthentication> =>
  noting(type.codec(keysOfType(type.name, around.parts), surroundingsOf(type.name, around)), (input, path) => {
    const written = valueOf(input, 'type');
    return written === type.name
      ? []
      : [{ path: [...path, 'type'], message: `deprecated: ${JSON.stringify(written)} is now called "${type.name}"` }];
  });

/** `api.authentication` (docs/language/authentication.md). A blank type means none. */
export const authentication = (around: Around): Codec<ChosenAuthentication | undefined> =>
  choose<ChosenAuthentication | undefined>(
    'Authentication',
    () => named('authentication', () => anyType(around.parts)),
    (input, context): Either<t.Errors, Codec<ChosenAuthentication | undefined>> => {
      const written = asObject(input);
      if (written === undefined) return expected('an object', input, context);
      const type = ownValue(written, 'type');
      if (isBlank(type)) return right(none(Object.hasOwn(written, 'type'), around.parts));
      const word = namedOf('AuthenticationType', typesOf(around.parts));
      return pipe(
        word.validate(type, t.appendContext(context, 'type', word, type)),
        mapRight((definition) => chosen(definition, around)),
      );
    },
  );

/** A branch a type, told apart by the word in `type`; without one there is no authentication. */
function anyType({ authentication: types }: Parts): Schema {
  const branches = [...types.values()].map(({ name, summary, options, aliases = [] }): Schema => {
    const type = required(constant(name), 'the name of the type', { about: 'The type.', example: name });
    const branch = fieldsSchema({ type, ...options });
    const words = tolerant({ const: name }, ...aliases.map((alias) => ({ const: alias })));
    const names = { ...words, description: 'The type.', examples: [name] };
    const properties = { ...branch.properties, ...(aliases.length === 0 ? {} : { type: names }) };
    return named(`authentication.${name}`, () => ({ description: summary, ...branch, properties }));
  });
  const off: Schema = { type: 'object', properties: { type: blank } };
  return tolerant({ anyOf: branches }, off, { type: 'array' }, blank);
}
