import { asyncScheduler, defer, of } from 'rxjs';
import type { Credentials, CredentialSource } from '../../core/model';
import { renewing } from '../../operators';
import type { AuthenticationRuntime } from '../../language/parts/authentication/authentication';
import { expiryOf } from '../login/expiry';
import type { Assertion } from './assertion';

/** How a signed token is sent itself, and how long it lives. */
interface Use {
  readonly scheme: string;
  readonly lifetime: number;
  readonly margin: number | undefined;
  readonly refusedStatusCodes: readonly number[];
}

const NOTHING = { content: {}, headers: {} };

/** The credential stream of tokens that are sent as they are signed: all requests share one, until a margin before its end. */
export function bearerSource(
  { scheme, lifetime, margin, refusedStatusCodes }: Use,
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
