import type { Authentication } from '../config/configuration';
import type { Oauth10Plan, PlannedAuthentication } from './authentication-plan';

/** OAuth 1.0: all but the signature is known before the run (language 4.6). */
export function planOauth10(plan: Extract<Authentication, { type: 'oauth10' }>): PlannedAuthentication<Oauth10Plan> {
  const { consumerSecret, token, tokenSecret } = plan.credentials;
  return { plan, secrets: [consumerSecret, token, tokenSecret] };
}
