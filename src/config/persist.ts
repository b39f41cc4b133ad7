import * as t from 'io-ts';
import { isObject, keysOf } from '../json/keys';
import { codec, expected, refine, refuse, type Codec } from '../codec/codec';
import { dictionary, string } from '../codec/primitives';
import { record, required } from '../codec/record';

const inResponse = record('KeptValueInResponse', {
  response: required(string, 'a path in the login response'),
});

/** `{"response": path}`, or the path alone. */
const keptValue: Codec<string> = codec(
  'KeptValue',
  () => ({ anyOf: [string.schema(), inResponse.schema()] }),
  (input, context) => {
    if (typeof input === 'string') return string.validate(input, context);
    if (!isObject(input)) return expected('{"response": a path in the login response}', input, context);
    const written = inResponse.validate(input, context);
    return written._tag === 'Left' ? written : t.success(written.right.response);
  },
  (input, path) => (isObject(input) ? inResponse.notes(input, path) : []),
);

/** `api.authentication.persist`: names for the context `state`, and what of a login response is kept under each. */
export const persist: Codec<Readonly<Record<string, string>>> = refine(
  'Persist',
  dictionary(keptValue),
  (names, context) => {
    const marked = keysOf(names).find((name) => name.startsWith('#'));
    if (marked === undefined) return t.success(names);
    const message = `write the name without "#": what is kept of a login is always a secret`;
    return refuse(names[marked] ?? null, t.appendContext(context, marked, keptValue), message);
  },
);
