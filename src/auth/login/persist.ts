import { isObject, keysOf } from '../../json/keys';
import { accept, below, codec, expected, map, refine, refuse, type Codec } from '../../codec/codec';
import { dictionary, string } from '../../codec/primitives';
import { record, required } from '../../codec/record';

const inResponse = map(
  'PathOfKeptValue',
  record('KeptValueInResponse', {
    response: required(string, 'a path in the login response', {
      about: 'The path in the response of the login.',
      example: 'refresh_token',
    }),
  }),
  ({ response }) => response,
);

/** `{"response": path}`, or the path alone. */
const keptValue: Codec<string> = codec(
  'KeptValue',
  () => ({ anyOf: [string.schema(), inResponse.schema()] }),
  (input, context) => {
    if (typeof input === 'string') return string.validate(input, context);
    if (!isObject(input)) return expected('{"response": a path in the login response}', input, context);
    return inResponse.validate(input, context);
  },
  (input, path) => (isObject(input) ? inResponse.notes(input, path) : []),
);

/** `api.authentication.persist`: names for the context `state`, and what of a login response is kept under each. */
export const persist: Codec<Readonly<Record<string, string>>> = refine(
  'Persist',
  dictionary(keptValue),
  (names, context) => {
    const marked = keysOf(names).find((name) => name.startsWith('#'));
    if (marked === undefined) return accept(names);
    const message = `write the name without "#": what is kept of a login is always a secret`;
    return refuse(names[marked] ?? null, below(context, marked, names[marked]), message);
  },
);
