import type { CredentialSource } from '../model';
import type { Oauth10Plan } from '../plan/authentication-plan';
import type { Secrets } from '../secrets';
import { newAttempt } from './attempt';
import { signOauth10 } from './oauth10-signature';
import { perRequest } from './per-request';

const NONCE_BYTES = 20;

/** Signs every request by OAuth 1.0 (language 4.6), with a nonce of its own. */
export const oauth10 = ({ credentials }: Oauth10Plan, secrets: Secrets): CredentialSource =>
  perRequest((request) => {
    const { authorization, signature } = signOauth10(request, credentials, newAttempt(NONCE_BYTES));
    secrets.learn(signature);
    return { ...request, headers: { ...request.headers, authorization } };
  });
