import type { CredentialSource } from '../model';
import type { Oauth20Plan } from '../plan/authentication-plan';
import type { Secrets } from '../secrets';
import { addValues } from './add-values';
import { newAttempt } from './attempt';
import { perRequest } from './per-request';
import { requestContexts } from './request-contexts';

/** 16 hexadecimal digits. */
const NONCE_BYTES = 8;

/** Adds headers and query values that are computed from an OAuth 2.0 token and each request (language 4.7). */
export const oauth20 = ({ values }: Oauth20Plan, secrets: Secrets): CredentialSource =>
  perRequest((request) => addValues(request, values(requestContexts(request), newAttempt(NONCE_BYTES)), secrets));
