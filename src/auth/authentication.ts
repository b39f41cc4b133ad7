import type { CredentialSource } from '../model';
import type { AuthenticationPlan } from '../plan/plan';
import { login } from './login';
import type { LoginOptions } from './login';

type Factory<P> = (plan: P, options: LoginOptions) => CredentialSource | undefined;

/** Every authentication type and what makes its credential stream; `undefined`: requests go as they are. */
const factories = {
  none: () => undefined,
  login,
} satisfies { readonly [T in AuthenticationPlan['type']]: Factory<Extract<AuthenticationPlan, { type: T }>> };

/** The credential stream of one run (specification 5), shared by all of its jobs. */
export function credentialSource(plan: AuthenticationPlan, options: LoginOptions): CredentialSource | undefined {
  return plan.type === 'login' ? factories.login(plan, options) : factories.none();
}
