import { createHash, createHmac } from 'node:crypto';
import { allOf, andThen, collect, fault, mapValid, valid, type Checked } from '../../language/codec/checked';
import { compileExpression, type Contexts, type Place, type Scope } from '../../language/expressions/expression';
import { canBeScalar, compileScalars, scalar } from '../../language/expressions/scalar-entries';
import { textOf } from '../../core/json/text';
import type { Json, JsonObject, JsonScalar, Request } from '../../core/model';
import { headerTexts } from '../../language/requests/headers';
import { encodePairs, parseQuery, splitUrl } from '../../core/url/query';
import type { CredentialValues } from '../credential-values';
import { requestContexts, type RequestContexts } from '../request-contexts';
import { keyBytes, type KeyEncoding } from './key';
import type { Moment, MomentForm } from './moment';
import { filled } from './template';

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
  /** Empty where the template does not name it. */
  readonly keyId: string;
}

/** Signs a request at a moment: what is added to it. It throws FatalError EXPRESSION_FAILED. */
export type Sign = (request: Request, moment: Moment) => CredentialValues;

/** All that parts and headers may refer to. */
type SignatureContexts = RequestContexts & Required<Pick<Contexts, 'attr' | 'signature'>>;

const PATH = 'api.authentication';
const CONTEXTS = ['attr', 'query', 'request', 'signature'] as const;
/** Stand for a request and a moment while the names are checked. */
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
    // Which parameters a request has, only the request knows.
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

/** One part of what is signed, as text. */
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

/** The contexts `query` and `request`, and what only a signature needs of a request. */
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
