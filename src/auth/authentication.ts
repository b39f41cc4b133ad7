import type { CredentialSource } from '../model';
import type { AuthenticationPlan } from '../plan/plan';
import { login } from './login';
import type { LoginOptions } from './login';

/** The credential stream of one run (specification 5), shared by all of its jobs; `undefined`: requests go as they are. */
export function credentialSource(plan: AuthenticationPlan, options: LoginOptions): CredentialSource | undefined {
  switch (plan.type) {
    case 'none':
      return undefined;
    case 'login':
      return login(plan, options);
  }
}
