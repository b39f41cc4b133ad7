import { map as mapRight, right, type Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import type * as t from 'io-ts';
import type { JsonObject } from '../../core/model';
import { entriesOf, objectFrom, ownValue } from '../../core/json/keys';
import { expected, contextAt, type Input } from '../codec/codec';
import type { Finding, Path } from '../codec/finding';
import { anything, asObject, list, object } from '../codec/primitives';
import { always, optional, record, required } from '../codec/record';
import { action, aws, cache, imageParameters, sshProxy } from './api/surroundings';
import { anyKey, unknownKey } from '../codec/unknown-key';

const INSIDE = ['api', 'config', 'iterations', 'sshProxy', 'aws', 'cache'];
const OUTSIDE = ['authorization', 'action', 'image_parameters'];
/** Editors read it; it says nothing of the configuration. */
const SCHEMA = '$schema';

/** It is followed, and gone, where files are read. */
const NOT_READ = {
  extends: 'files are merged by readConfiguration(path), which the command calls; write all in one here',
};

/** The configuration in one shape, whichever form was written. */
export interface Root {
  /** The bare form: all known keys in one object. */
  readonly document: JsonObject;
  readonly notes: readonly Finding[];
}

const pick = (source: JsonObject, keys: readonly string[]) => entriesOf(source).filter(([key]) => keys.includes(key));

function strayKeys(source: JsonObject, known: readonly string[], hints: Readonly<Record<string, string>>): Finding[] {
  const policy = unknownKey(hints);
  return entriesOf(source)
    .filter(([key]) => !known.includes(key))
    .flatMap(([key, value]) => {
      const complaint = policy(key, value, known);
      return complaint === undefined ? [] : [{ path: [key], ...complaint }];
    });
}

const hintsFor = (keys: readonly string[], hint: string): Readonly<Record<string, string>> =>
  Object.fromEntries(keys.map((key) => [key, hint]));

/** Reads the wrapped and the bare form (docs/language/configuration.md#the-two-forms) as one. */
export function unwrap(input: Input): Either<t.Errors, Root> {
  const root = asObject(input);
  if (root === undefined) return notYetParsed('an object with "api" and "config"', input, []);
  if (!Object.hasOwn(root, 'parameters')) {
    const known = [...INSIDE, ...OUTSIDE, SCHEMA];
    return right({
      document: objectFrom(pick(root, [...INSIDE, ...OUTSIDE])),
      notes: strayKeys(root, known, NOT_READ),
    });
  }
  const inside = ownValue(root, 'parameters');
  if (asObject(inside) === undefined) return notYetParsed('an object', inside, ['parameters']);
  return pipe(
    object.validate(inside, contextAt(['parameters'])),
    mapRight((parameters) => ({
      document: objectFrom([...pick(parameters, INSIDE), ...pick(root, OUTSIDE)]),
      notes: [
        ...strayKeys(
          parameters,
          [...INSIDE, SCHEMA],
          hintsFor([...OUTSIDE, 'extends'], 'it belongs beside "parameters"'),
        ),
        ...strayKeys(root, ['parameters', ...OUTSIDE, SCHEMA], {
          ...hintsFor(INSIDE, 'it belongs inside "parameters"'),
          ...NOT_READ,
        }),
      ],
    })),
  );
}

/** A configuration that is still a string of JSON is a frequent slip. None of it may be printed: it holds secrets. */
const notYetParsed = (what: string, input: Input, path: Path): Either<t.Errors, never> =>
  expected(
    what,
    input,
    contextAt(path),
    typeof input === 'string' && /^\s*\{/.test(input) ? '; parse the JSON first' : '',
  );

/** The keys of the root (docs/language/configuration.md#the-two-forms). */
export const rootFields = {
  api: required(object, 'the "api" section, which describes the remote API', {
    distinctive: true,
    about: 'The remote API.',
    example: { baseUrl: 'https://api.example.com' },
  }),
  config: required(object, 'the "config" section, which says what to extract', {
    distinctive: true,
    about: 'What to extract, and attributes that expressions read.',
    example: { jobs: [{ endpoint: 'ships' }] },
  }),
  iterations: always(list(object, 'an array of objects'), {
    distinctive: true,
    about: 'One run for each entry, whose keys replace those of `config`.',
    example: [{ account: 'eu' }, { account: 'us' }],
  }),
  sshProxy: optional(sshProxy, {
    distinctive: true,
    about: 'An SSH server through which all requests go.',
    example: { host: 'ssh.example.com', port: 22, user: 'extract', '#privateKey': '…' },
  }),
  aws: optional(aws, {
    distinctive: true,
    about: 'Signs every request for AWS.',
    example: {
      signature: {
        credentials: { accessKeyId: 'AKIA…', '#secretKey': '…', serviceName: 'execute-api', regionName: 'eu-west-1' },
      },
    },
  }),
  cache: optional(cache, {
    distinctive: true,
    about: 'Keeps answers for later runs: true, or an object with `ttl`.',
    example: { ttl: 3600 },
  }),
  authorization: always(anything, {
    about: 'What a host gives to OAuth types: it stands beside `parameters`.',
    example: { oauth_api: { credentials: { '#data': '…', appKey: '…', '#appSecret': '…' } } },
  }),
  action: optional(action, { about: 'What to do. Only `run` is known.', example: 'run' }),
  image_parameters: always(imageParameters, {
    about: 'What a host prescribes: it stands beside `parameters`.',
    example: { allowed_hosts: [{ host: 'api.example.com' }] },
  }),
};

/** The root. `api` and `config` are read once an iteration. */
export const rootParts = record('Root', rootFields, anyKey);
