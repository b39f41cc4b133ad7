import { createHash, createHmac, randomUUID } from 'node:crypto';
import { entriesOf } from '../core/json/objects';
import { textOf } from '../core/json/scalars';
import type { Json, JsonObject, JsonScalar, Request } from '../core/model';
import { encodePairs, parseQuery, splitUrl } from '../core/url/query';
import { allOf, andThen, collect, fault, mapValid, valid } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import type { OptionFault } from '../language/codec/component';
import { anything, list, object, oneOf, string } from '../language/codec/primitives';
import { always, required, withDefault } from '../language/codec/record';
import { canBeScalar, compileScalars, scalar } from '../language/expressions/entries';
import { compileExpression } from '../language/expressions/expression';
import type { Contexts, Place, Scope } from '../language/expressions/expression';
import { meantOrKnown } from '../language/codec/finding';
import { defineAuthentication } from '../language/parts/authentication';
import { headerTexts } from '../language/requests/template';
import { newAttempt, perRequest, requestContexts, withCredentialValues } from './per-request';
import type { CredentialValues, RequestContexts } from './per-request';

/** The formats of the time of a signature. */
const TIMESTAMPS = ['seconds', 'milliseconds', 'iso', 'httpdate'] as const;
/** The formats of the nonce of a signature. */
const NONCES = ['hex', 'uuid'] as const;

/** The format of the moment of a signature. */
export interface MomentForm {
  readonly timestamp: (typeof TIMESTAMPS)[number];
  readonly nonce: (typeof NONCES)[number];
}

/** The values that are new in each signature, as text. */
export interface Moment {
  readonly timestamp: string;
  readonly nonce: string;
}

/** The bytes of a nonce: 32 hexadecimal digits. */
const NONCE_BYTES = 16;

/** Returns the moment of one attempt: parts and headers of a signature share it. */
export const momentOf = (form: MomentForm): Moment => ({
  timestamp: timestampAs(form.timestamp, Date.now()),
  nonce: form.nonce === 'uuid' ? randomUUID() : newAttempt(NONCE_BYTES).nonce,
});

/**
 * Returns a moment, in milliseconds since the epoch, as text.
 *
 * @example timestampAs('httpdate', 0) // 'Thu, 01 Jan 1970 00:00:00 GMT'
 */
export function timestampAs(form: MomentForm['timestamp'], milliseconds: number): string {
  switch (form) {
    case 'seconds':
      return String(Math.floor(milliseconds / 1000));
    case 'milliseconds':
      return String(milliseconds);
    case 'iso':
      return new Date(milliseconds).toISOString();
    case 'httpdate':
      return new Date(milliseconds).toUTCString();
  }
}

/** HMAC signatures of configurable parts of a request (docs/language/authentication/signature.md). */
export const signature = defineAuthentication({
  name: 'signature',
  summary: 'Signs each request with a secret key (HMAC), and sends the signature in a header.',
  use: 'Use it for a keyed digest of method, path, time or body. For a signature in the query, take [`query`](query.md); for AWS, [`aws`](../configuration.md#aws-signatures).',
  travels: 'The signature and the `headers`, never the key.',
  options: {
    parts: required(list(anything), 'what is signed: an array of strings and expressions', {
      about:
        'What is signed, in order: strings, and expressions with `attr`, `query`, `request` and `signature` (`timestamp`, `nonce`).',
      example: [{ request: 'method' }, { request: 'resource' }, { signature: 'timestamp' }],
    }),
    separator: withDefault(string, '\n', {
      about: 'The string between two parts.',
      example: '.',
    }),
    algorithm: withDefault(oneOf('SignatureAlgorithm', ['sha256', 'sha1', 'sha384', 'sha512', 'md5']), 'sha256', {
      about: 'The hash function of the HMAC and of `bodyHash`.',
      example: 'sha512',
    }),
    keyEncoding: withDefault(oneOf('SignatureKeyEncoding', ['utf8', 'hex', 'base64']), 'utf8', {
      about: 'The encoding of the key.',
      example: 'base64',
    }),
    encoding: withDefault(oneOf('SignatureEncoding', ['hex', 'base64', 'base64url']), 'hex', {
      about: 'The encoding of the signature and of `bodyHash`; `hex` is lowercase.',
      example: 'base64',
    }),
    header: withDefault(string, 'Authorization', {
      about: 'The header of the signature.',
      example: 'X-Signature',
    }),
    template: withDefault(string, '{signature}', {
      about: 'The value of that header, with `{signature}`, `{timestamp}`, `{nonce}` and `{keyId}`.',
      example: 'HMAC {keyId}:{signature}',
    }),
    timestamp: withDefault(oneOf('SignatureTimestamp', TIMESTAMPS), 'seconds', {
      about:
        'The time: Unix `seconds` or `milliseconds`, `iso` (`2026-01-31T10:00:00.000Z`) or as in the header `Date` (`httpdate`).',
      example: 'httpdate',
    }),
    nonce: withDefault(oneOf('SignatureNonce', NONCES), 'hex', {
      about: 'The nonce: 32 hexadecimal digits (`hex`), or a `uuid`.',
      example: 'uuid',
    }),
    headers: always(object, {
      about: 'More headers: scalars, or expressions with the same contexts; `{"signature": "value"}` is the signature.',
      example: { 'X-Timestamp': { signature: 'timestamp' } },
    }),
  },
  needs: {
    'config.#signatureKey': {
      about: 'The secret key.',
      example: 's3',
    },
    'config.keyId': {
      about: 'The key id, for `{keyId}`; or `#keyId`.',
      example: 'river',
    },
  },
  rules: [
    'The signature covers the request as it is sent, with all parameters. Each attempt and redirect has a new time, nonce and signature, the same in all parts and headers.',
    'The context `request` also has `body` (empty without one), `bodyHash` (by `algorithm`, in `encoding`), `contentType`, and `sortedQuery` (the query in strict percent-encoding, sorted).',
    'Parts are strings, numbers or booleans; `null` is an empty string. An object or an array is an error.',
    'Headers replace those of the same name.',
  ],
  example: {
    about: 'Method and path are signed.',
    config: {
      api: {
        authentication: {
          type: 'signature',
          parts: [{ request: 'method' }, { request: 'resource' }],
          template: 'HMAC {keyId}:{signature}',
        },
      },
      config: { keyId: 'river', '#signatureKey': 's3cret', jobs: [{ endpoint: 'stations', params: { page: 2 } }] },
    },
    exchanges: [
      {
        request: 'GET /stations?page=2',
        requestHeaders: {
          authorization: 'HMAC river:8da1fe7f25863b49d74c963fc07c8628b3a44df092756736e64caeb2633cc144',
        },
        response: [{ id: 1 }],
      },
    ],
    items: [{ id: 1 }],
  },
  check: ({ template, header, headers }): readonly OptionFault[] => {
    const inTemplate = templateFault(template);
    return [
      ...(inTemplate === undefined ? [] : [{ option: 'template', message: inTemplate }]),
      ...(/^[\w!#$%&'*+.^`|~-]+$/.test(header) ? [] : [{ option: 'header', message: 'is no name of a header' }]),
      ...(entriesOf(headers).some(([name]) => name.toLowerCase() === header.toLowerCase())
        ? [{ option: 'headers', message: 'has the header of the signature, which "header" and "template" make' }]
        : []),
    ];
  },
  credentials: (around, options) =>
    collect({
      key: around.attribute('#signatureKey'),
      keyId: namesKeyId(options?.template ?? '') ? around.attribute('keyId') : valid(''),
    }),
  compile: ({ options, credentials, scope }) =>
    mapValid(compileSignature(options, credentials, scope), (sign) => ({
      secrets: [credentials.key],
      source: ({ secrets }) =>
        perRequest((request) => withCredentialValues(request, sign(request, momentOf(options)), secrets)),
    })),
});

/** The options of `signature`. */
export interface SignatureOptions extends MomentForm {
  readonly algorithm: 'sha256' | 'sha1' | 'sha384' | 'sha512' | 'md5';
  readonly keyEncoding: KeyEncoding;
  readonly parts: readonly (Json | undefined)[];
  readonly separator: string;
  readonly encoding: 'hex' | 'base64' | 'base64url';
  readonly header: string;
  readonly template: string;
  readonly headers: JsonObject;
}

export interface SignatureCredentials {
  readonly key: string;
  /** The id of the key; empty if the template does not name it. */
  readonly keyId: string;
}

/** Signs a request at a moment, and returns the values to add to it. It throws FatalError EXPRESSION_FAILED. */
export type Sign = (request: Request, moment: Moment) => CredentialValues;

/** The contexts that parts and headers may refer to. */
type SignatureContexts = RequestContexts & Required<Pick<Contexts, 'attr' | 'signature'>>;

const PATH = 'api.authentication';
const CONTEXTS = ['attr', 'query', 'request', 'signature'] as const;
/** A dummy request and a dummy moment for checking the names. */
const NO_REQUEST: Request = {
  method: 'GET',
  url: 'http://base.invalid/',
  headers: {},
  purpose: { kind: 'login' },
  home: '',
  provenance: 'configured',
  receivedNames: [],
};
const NO_MOMENT: Moment = { timestamp: '0', nonce: '' };

/** Compiles the signatures of docs/language/authentication/signature.md. */
export function compileSignature(
  options: SignatureOptions,
  { key: secret, keyId }: SignatureCredentials,
  { known: { attr = new Map() }, ...scope }: Scope,
): Checked<Sign> {
  const { algorithm, encoding, separator } = options;
  const contextsOf = (request: Request, moment: Moment): SignatureContexts => ({
    ...contextsOfRequest(request, (text) => createHash(algorithm).update(text).digest(encoding)),
    attr,
    signature: new Map(Object.entries(moment)),
  });
  const names = contextsOf(NO_REQUEST, NO_MOMENT);
  const place = (path: string, signature = names.signature): Place => ({
    path: `${PATH}.${path}`,
    contexts: CONTEXTS,
    ...scope,
    // The parameters of a request are known only when it is sent.
    known: { attr, request: names.request, signature },
  });
  const compiled = collect({
    key: keyOf(secret, options.keyEncoding),
    parts: allOf(options.parts.map((part, at) => partOf(part ?? null, place(`parts[${at}]`)))),
    headers: compileScalars(options.headers, place('headers', withValue(names.signature, '-'))),
  });
  return mapValid(compiled, ({ key, parts, headers }) => (request, moment) => {
    const contexts = contextsOf(request, moment);
    const text = parts.map((part) => part(contexts)).join(separator);
    const signature = createHmac(algorithm, key).update(text).digest(encoding);
    const { values, secrets } = headers({ ...contexts, signature: withValue(contexts.signature, signature) });
    return {
      headers: {
        ...headerTexts(values),
        [options.header.toLowerCase()]: filled(options.template, { ...moment, signature, keyId }),
      },
      query: [],
      secrets: [...secrets, signature],
    };
  });
}

function keyOf(secret: string, encoding: KeyEncoding): Checked<Buffer> {
  const bytes = keyBytes(secret, encoding);
  return bytes === undefined
    ? fault('config.#signatureKey', `is not in ${encoding}, as api.authentication.keyEncoding says`)
    : valid(bytes);
}

/** Compiles one part of the signed text. */
const partOf = (raw: Json, place: Place): Checked<(contexts: Contexts) => string> =>
  andThen(canBeScalar(raw, place), () =>
    mapValid(
      compileExpression(raw, place),
      ({ evaluate }) =>
        (contexts: Contexts) =>
          textOf(scalar(evaluate(contexts), place.path)),
    ),
  );

type Names = ReadonlyMap<string, JsonScalar>;

const withValue = (names: Names, value: string): Names => new Map([...names, ['value', value]]);

/** Returns the contexts `query` and `request`, with the values of a request that only a signature needs. */
function contextsOfRequest(request: Request, digest: (text: string) => string): RequestContexts {
  const contexts = requestContexts(request);
  const { headers, body = '', url } = request;
  const pairs = parseQuery(splitUrl(url).query).map(({ name, value = '' }) => ({ name, value }));
  return {
    ...contexts,
    request: new Map([
      ...contexts.request,
      ['sortedQuery', encodePairs(pairs).split('&').sort().join('&')],
      ['contentType', [headers['content-type'] ?? ''].flat().join(', ')],
      ['body', body],
      ['bodyHash', digest(body)],
    ]),
  };
}

/** The values of the names in braces of a template. */
export interface TemplateValues extends Moment {
  readonly signature: string;
  readonly keyId: string;
}

const NAMES: readonly (keyof TemplateValues)[] = ['signature', 'timestamp', 'nonce', 'keyId'];
const PLACE = /\{([^{}]*)\}/g;

const namesIn = (template: string): readonly string[] => Array.from(template.matchAll(PLACE), ([, name = '']) => name);

/** Returns whether the template contains the id of the key. */
export const namesKeyId = (template: string): boolean => namesIn(template).includes('keyId');

/** Returns the fault of a template. */
export function templateFault(template: string): string | undefined {
  const names = namesIn(template);
  const unknown = names.find((name) => !NAMES.some((known) => known === name));
  if (unknown !== undefined) return `has {…} with an unknown name.${meantOrKnown(unknown, [...NAMES])}`;
  return names.includes('signature') ? undefined : 'has no {signature}: nothing would be signed';
}

/**
 * Returns the header with the signature.
 *
 * @example filled('HMAC {keyId}:{signature}', values) // 'HMAC k1:9f86d081'
 */
export const filled = (template: string, values: TemplateValues): string =>
  template.replace(PLACE, (_, name: keyof TemplateValues) => values[name]);

/** The encodings of a signature key. */
export type KeyEncoding = 'utf8' | 'hex' | 'base64';

/**
 * Returns the bytes of a key; `undefined` for a string that is not in that encoding, which the platform would decode in
 * part.
 *
 * @example keyBytes('czNjcmV0', 'base64') // the bytes of `s3cret`
 */
export function keyBytes(text: string, encoding: KeyEncoding): Buffer | undefined {
  if (encoding === 'utf8') return Buffer.from(text);
  const written = text.trim();
  const bytes = Buffer.from(written, encoding);
  const isWhole =
    encoding === 'hex'
      ? bytes.toString('hex') === written.toLowerCase()
      : bytes.toString('base64url') === written.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
  return isWhole && bytes.length > 0 ? bytes : undefined;
}
