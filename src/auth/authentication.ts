import type { CredentialSource } from '../model';
import type { AuthenticationPlan } from '../plan/authentication-plan';
import { basic } from './basic';
import { login } from './login';
import type { LoginOptions } from './login';
import { oauth10 } from './oauth10';
import { oauth20 } from './oauth20';
import { query } from './query';

/** The credential stream of one run (specification 5), shared by all of its jobs; `undefined`: requests go as they are. */
export function credentialSource(plan: AuthenticationPlan, options: LoginOptions): CredentialSource | undefined {
  switch (plan.type) {
    case 'none':
      return undefined;
    case 'basic':
      return basic(plan);
    case 'query':
      return query(plan, options.secrets);
    case 'login':
      return login(plan, options);
    case 'oauth10':
      return oauth10(plan, options.secrets);
    case 'oauth20':
      return oauth20(plan, options.secrets);
  }
}
