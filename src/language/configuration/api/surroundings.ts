/** The small parts beside `api` and `config` (docs/language/configuration.md). */
import { isScalar } from '../../../core/json/text';
import { codec, map, type Codec } from '../../codec/codec';
import type { RequestableHost, AwsSignature, Configuration, SshProxy } from '../configuration';
import { integerFrom, list, numeric, oneOf, string, text } from '../../codec/primitives';
import { always, optional, record, required, withDefault } from '../../codec/record';
import { tolerant } from '../../codec/schema';
import { likelyMeant } from '../../codec/suggest';
import { mistaken, type UnknownKeyPolicy } from '../../codec/unknown-key';

const CACHE_TTL_SECONDS = 604_800;
const port = integerFrom(1, 65_535);

/** `sshProxy` (docs/language/configuration.md#ssh-proxy). */
export const sshProxy: Codec<SshProxy> = map(
  'SshProxy',
  record('SshProxyAsWritten', {
    host: required(text, 'the host of the SSH proxy', {
      about: 'The host of the SSH server.',
      example: 'ssh.example.com',
    }),
    port: required(port, 'the port of the SSH proxy', { about: 'Its port.', example: 22 }),
    user: required(text, 'the user of the SSH proxy', { about: 'The user.', example: 'extract' }),
    '#privateKey': required(string, 'the private key for the SSH proxy', {
      about: 'The private key, as PEM or in the format of OpenSSH.',
      example: '-----BEGIN OPENSSH PRIVATE KEY-----…',
    }),
  }),
  ({ '#privateKey': privateKey, ...rest }) => ({ ...rest, privateKey }),
);

/** `aws` (docs/language/configuration.md#aws-signatures). */
export const aws: Codec<AwsSignature> = map(
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
        about: 'Signs every request with AWS Signature Version 4.',
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
      about: 'How long an answer is kept.',
      example: 3600,
      unit: 'seconds',
    }),
  }),
  ({ ttl }) => ({ ttlSeconds: ttl }),
);

/** `cache` (docs/language/configuration.md#cache): `true` or an object. */
export const cache: Codec<NonNullable<Configuration['cache']>> = codec(
  'Cache',
  () => tolerant({ anyOf: [{ type: 'boolean' }, cacheOptions.schema()] }, { type: ['string', 'number'] }),
  (input, context) => cacheOptions.validate(isScalar(input) ? {} : input, context),
  (input, path) => (isScalar(input) ? [] : cacheOptions.notes(input, path)),
);

/** `action` (docs/language/configuration.md#the-two-forms): synchronous actions are outside the language. */
export const action = oneOf('Action', ['run']);

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

/** Other keys belong to whoever runs the extractor; but a misspelled array of hosts would allow every host. */
const ofOthers: UnknownKeyPolicy = (key, _, names) => {
  const meant = likelyMeant(key, names);
  return meant === undefined ? undefined : mistaken(`has no effect: unknown key; did you mean "${meant}"?`);
};

/** `image_parameters` (docs/language/configuration.md#allowed-hosts). */
export const imageParameters = record(
  'ImageParameters',
  {
    allowed_hosts: always(list(allowedHost), {
      about: 'The hosts that may be called at all; an empty array allows all.',
      example: [{ host: 'api.example.com' }],
    }),
  },
  ofOthers,
);
