import { asyncScheduler, defer, of } from 'rxjs';
import { merge } from '../../core/json/objects';
import type { CredentialSource, Credentials, JsonObject } from '../../core/model';
import { collect, mapValid } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import { object, oneOf, string } from '../../language/codec/primitives';
import { always, optional, record, required, withDefault } from '../../language/codec/record';
import type { RecordOf } from '../../language/codec/record';
import { computedEndpoint } from '../../language/codec/values';
import type {
  AuthenticationPlace,
  AuthenticationPlan,
  AuthenticationRuntime,
} from '../../language/parts/authentication';
import { renewing } from '../../operators';
import { compileApplied, compileRequest, readyToRun } from '../login/compile';
import { expiryOf, lifeOf } from '../login/expiry';
import type { Assertion } from './assertion';

/** The use of a signed token as a bearer token, and its lifetime. */
interface BearerUse {
  readonly scheme: string;
  readonly lifetime: number;
  readonly margin: number | undefined;
  readonly refusedStatusCodes: readonly number[];
}

const NOTHING = { content: {}, headers: {} };

/**
 * Returns the credential stream of tokens that are sent directly: all requests share one token until a margin before
 * its end.
 */
export function bearerSource(
  { scheme, lifetime, margin, refusedStatusCodes }: BearerUse,
  assertion: Assertion,
  { secrets, report, renewEarly, scheduler = asyncScheduler }: AuthenticationRuntime,
): CredentialSource {
  const life = { kind: 'after' as const, seconds: lifetime, ...(margin === undefined ? {} : { margin }) };
  const signNew = (): Credentials => {
    const now = scheduler.now();
    const { token, secrets: inToken } = assertion.token(now);
    secrets.learn(...inToken);
    const { expiresAt } = expiryOf(life, NOTHING, now, renewEarly);
    report({
      type: 'credentials.renewed',
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    });
    return {
      apply: (request) => ({ ...request, headers: { ...request.headers, authorization: `${scheme} ${token}` } }),
      refusedBy: refusedStatusCodes,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
  };
  const { value$, invalidate } = renewing({
    renew: () => defer(() => of(signNew())),
    expiresAt: (credentials: Credentials) => credentials.expiresAt,
    scheduler,
  });
  return { credentials$: value$, invalidate };
}

const exchangeFields = {
  tokenEndpoint: required(computedEndpoint, 'the path or URL of the token endpoint', {
    about: 'The token endpoint: a path, a URL (of any host), or an expression with `attr`.',
    example: 'https://oauth2.googleapis.com/token',
  }),
  as: withDefault(oneOf('JwtExchangeForm', ['grant', 'client']), 'grant', {
    about:
      'The role of the signed token: the grant itself (`assertion`, RFC 7523 section 2.1), or the proof of a client (`client_assertion`, section 2.2, `private_key_jwt`) that asks for `client_credentials`.',
    example: 'client',
  }),
  scope: optional(string, {
    about: 'The scope of the access token; several with spaces. Google takes `scope` from `claims`.',
    example: 'stations:read',
  }),
  params: always(object, {
    about: 'More parameters of the form: scalars, and expressions with `attr`.',
    example: { resource: 'https://api.example' },
    default: '{}',
  }),
};

export const exchange = record('JwtExchange', exchangeFields);
export type Exchange = RecordOf<typeof exchangeFields>;

/** The use of the access token, and the statuses that say it is stale. */
interface AccessTokenUse {
  readonly scheme: string;
  readonly margin: number | undefined;
  readonly refusedStatusCodes: readonly number[];
}

const ASSERTION = { state: 'assertion' };
const FORMS: Readonly<Record<Exchange['as'], JsonObject>> = {
  grant: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: ASSERTION },
  client: {
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: ASSERTION,
  },
};

/** Returns a login whose request has a new signed token each time (RFC 7523). */
export function exchanging(
  { tokenEndpoint: endpoint, as, scope: words, params }: Exchange,
  { scheme, margin, refusedStatusCodes }: AccessTokenUse,
  assertion: Assertion,
  place: AuthenticationPlace,
): Checked<AuthenticationPlan> {
  const { baseUrl, scope } = place;
  const more = merge(words === undefined ? {} : { scope: words }, params);
  const written = {
    ...{ endpoint, method: 'FORM' as const, functionsInLists: false, headers: { Accept: 'application/json' } },
    params: merge(FORMS[as], more),
  };
  const known = { ...scope.known, state: new Map([['assertion', '']]) };
  const compiled = collect({
    ask: compileRequest(written, 'api.authentication.exchange', baseUrl, { ...scope, known }),
    applied: compileApplied(
      {
        headers: { Authorization: { function: 'concat', args: [`${scheme} `, { response: 'access_token' }] } },
        query: {},
      },
      scope,
    ),
  });
  return mapValid(compiled, ({ ask, applied }) =>
    readyToRun({
      plan: {
        ...applied,
        request: () => {
          const { token, secrets } = assertion.token(Date.now());
          const { request, secrets: inRequest } = ask({ ...known, state: new Map([['assertion', token]]) });
          return { request, secrets: [...secrets, ...inRequest] };
        },
        format: 'json',
        expires: lifeOf({ expires: { kind: 'response', path: 'expires_in', relative: true }, margin }),
        refusedStatusCodes,
      },
      secrets: [...assertion.secrets, ...ask(known).secrets],
    }),
  );
}
