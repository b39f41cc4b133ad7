import { keysOf } from '../../core/json/keys';
import { accept, below, refine, refuse, type Codec } from '../../language/codec/codec';
import { dictionary } from '../../language/codec/primitives';
import type { LoginPlace } from './given';
import { loginPlace } from './place';

/** `api.authentication.persist`: names for the context `state`, and what of a login response is kept under each. */
export const persist: Codec<Readonly<Record<string, LoginPlace>>> = refine(
  'Persist',
  dictionary(loginPlace),
  (names, context) => {
    const marked = keysOf(names).find((name) => name.startsWith('#'));
    if (marked === undefined) return accept(names);
    const message = `write the name without "#": what is kept of a login is always a secret`;
    return refuse(null, below(context, marked, null), message);
  },
);
