/** The small sections next to `api` and `config` (docs/language/configuration.md). */
import { map as mapRight, right } from 'fp-ts/lib/Either';
import type { Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import type * as t from 'io-ts';
import { entriesOf, objectFrom, ownValue } from '../../core/json/objects';
import { isScalar } from '../../core/json/scalars';
import type { JsonObject } from '../../core/model';
import { codec, contextAt, expected, map } from '../codec/codec';
import type { Codec, Input } from '../codec/codec';
import { likelyMeant } from '../codec/finding';
import type { Finding, Path } from '../codec/finding';
import { anything, asObject, integerFrom, list, numeric, object, oneOf, string, text } from '../codec/primitives';
import { always, optional, record, required, withDefault } from '../codec/record';
import { anyKey, mistaken, unknownKey } from '../codec/unknown-key';
import { tolerant } from '../codec/schema';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import type { AwsSignature, Configuration, RequestableHost, SshProxy } from './configuration';

const CACHE_TTL_SECONDS = 604_800;
const port = integerFrom(1, 65_535);

/** `sshProxy` (docs/language/configuration.md#ssh-proxy). */
const sshProxy: Codec<SshProxy> = map(
  'SshProxy',
  record('SshProxyAsWritten', {
    host: required(text, 'the host of the SSH proxy', {
      about: 'The host of the SSH server.',
      example: 'ssh.example.com',
    }),
    port: required(port, 'the port of the SSH proxy', { about: 'Its port.', example: 22 }),
    user: required(text, 'the user of the SSH proxy', { about: 'The user.', example: 'extract' }),
    '#privateKey': required(string, 'the private key for the SSH proxy', {
      about: 'The private key, as PEM or of OpenSSH.',
      example: '-----BEGIN OPENSSH PRIVATE KEY-----…',
    }),
  }),
  ({ '#privateKey': privateKey, ...rest }) => ({ ...rest, privateKey }),
);

/** `aws` (docs/language/configuration.md#aws-signatures). */
const aws: Codec<AwsSignature> = map(
  'Aws',
  record('AwsAsWritten', {
    signature: always(
      record('AwsSignature', {
        credentials: always(
          record('AwsCredentials', {
            accessKeyId: required(text, 'the id of the AWS access key', {
              about: 'The id of the access key.',
              example: 'AKIAEXAMPLE',
            }),
            '#secretKey': required(text, 'the secret AWS key', { about: 'The secret key.', example: '…' }),
            serviceName: required(text, 'the AWS service, for example "execute-api"', {
              about: 'The service, as AWS writes it in signatures.',
              example: 'execute-api',
            }),
            regionName: required(text, 'the AWS region, for example "eu-west-1"', {
              about: 'The region.',
              example: 'eu-west-1',
            }),
          }),
          {
            about: 'Whose signature it is, for which service and region.',
            example: { accessKeyId: 'AKIA…', '#secretKey': '…', serviceName: 'execute-api', regionName: 'eu-west-1' },
          },
        ),
      }),
      {
        about: 'The credentials of the signature.',
        example: {
          credentials: { accessKeyId: 'AKIA…', '#secretKey': '…', serviceName: 'execute-api', regionName: 'eu-west-1' },
        },
      },
    ),
  }),
  ({ signature: { credentials } }) => ({
    accessKeyId: credentials.accessKeyId,
    secretKey: credentials['#secretKey'],
    serviceName: credentials.serviceName,
    regionName: credentials.regionName,
  }),
);

const cacheOptions = map(
  'CacheOptions',
  record('CacheOptionsAsWritten', {
    ttl: withDefault(numeric, CACHE_TTL_SECONDS, {
      about: 'How long a response is kept.',
      example: 3600,
      unit: 'seconds',
    }),
  }),
  ({ ttl }) => ({ ttlSeconds: ttl }),
);

/** `cache` (docs/language/configuration.md#cache): `true` or an object. */
const cache: Codec<NonNullable<Configuration['cache']>> = codec(
  'Cache',
  () => tolerant({ anyOf: [{ type: 'boolean' }, cacheOptions.schema()] }, { type: ['string', 'number'] }),
  (input, context) => cacheOptions.validate(isScalar(input) ? {} : input, context),
  (input, path) => (isScalar(input) ? [] : cacheOptions.notes(input, path)),
);

/** `action` (docs/language/configuration.md#the-two-forms): synchronous actions are outside the language. */
const action = oneOf('Action', ['run']);

const withoutSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, '');

const allowedHost: Codec<RequestableHost> = map(
  'AllowedHost',
  record('AllowedHostAsWritten', {
    host: required(string, 'the host that may be called', {
      about: 'A host that may be called.',
      example: 'api.example.com',
    }),
    scheme: optional(string, { about: 'The scheme of the URL.', example: 'https', default: 'any' }),
    port: optional(port, { about: 'The port.', example: 8443, default: 'any' }),
    endpoint: optional(string, { about: 'The beginning of the path.', example: 'v2', default: 'any' }),
  }),
  ({ endpoint, ...rest }) => {
    const prefix = withoutSlashes(endpoint ?? '');
    return prefix === '' ? rest : { ...rest, endpoint: prefix };
  },
);

/**
 * Returns the policy for other keys, which belong to the host of the extractor; but a misspelled array of hosts would
 * allow every host.
 */
const ofOthers: UnknownKeyPolicy = (key, _, names) => {
  const meant = likelyMeant(key, names);
  return meant === undefined ? undefined : mistaken(`has no effect: unknown key; did you mean "${meant}"?`);
};

/** `image_parameters` (docs/language/configuration.md#allowed-hosts). */
const imageParameters = record(
  'ImageParameters',
  {
    allowed_hosts: always(list(allowedHost), {
      about: 'The hosts that may be called; `[]` allows all.',
      example: [{ host: 'api.example.com' }],
    }),
  },
  ofOthers,
);

const INSIDE = ['api', 'config', 'iterations', 'sshProxy', 'aws', 'cache'];
const OUTSIDE = ['authorization', 'action', 'image_parameters'];
/** The key of the JSON Schema for editors; it has no meaning for the configuration. */
const SCHEMA = '$schema';

/** The message for `extends`, which only the reader of files resolves and removes: it has no effect here. */
const NOT_READ = {
  extends: 'files are merged by readConfiguration(path), which the command calls; write all in one here',
};

/** The configuration in one shape, for both written forms. */
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

/**
 * Refuses a configuration that is still a string of JSON, a frequent mistake. None of it may be printed: it holds
 * secrets.
 */
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
    about: 'The remote API.',
    example: { baseUrl: 'https://api.example.com' },
  }),
  config: required(object, 'the "config" section, which says what to extract', {
    about: 'What to extract, and attributes that expressions read.',
    example: { jobs: [{ endpoint: 'ships' }] },
  }),
  iterations: always(list(object, 'an array of objects'), {
    about: 'One run for each entry, whose keys replace those of `config`.',
    example: [{ account: 'eu' }, { account: 'us' }],
  }),
  sshProxy: optional(sshProxy, {
    about: 'An SSH server through which all requests go.',
    example: { host: 'ssh.example.com', port: 22, user: 'extract', '#privateKey': '…' },
  }),
  aws: optional(aws, {
    about: 'Signs every request for AWS.',
    example: {
      signature: {
        credentials: { accessKeyId: 'AKIA…', '#secretKey': '…', serviceName: 'execute-api', regionName: 'eu-west-1' },
      },
    },
  }),
  cache: optional(cache, {
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

/** The root. `api` and `config` are read once for each iteration. */
export const rootParts = record('Root', rootFields, anyKey);
