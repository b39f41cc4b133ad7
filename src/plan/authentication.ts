import * as E from 'fp-ts/Either';
import type { Api } from '../config/configuration';
import type { Scope } from '../expressions/expression';
import type { PlannedAuthentication } from './authentication-plan';
import { planBasic } from './basic';
import { planLogin } from './login';
import { planOauth10 } from './oauth10';
import { planOauth20 } from './oauth20';
import { planQuery } from './query-authentication';
import type { Checked } from './validation';

/** Compiles the authentication of one run (specification 5, language 4). */
export function planAuthentication(
  { authentication }: Api,
  baseUrl: string,
  scope: Scope,
): Checked<PlannedAuthentication> {
  switch (authentication.type) {
    case 'none':
      return E.right({ plan: authentication, secrets: [] });
    case 'basic':
      return E.right(planBasic(authentication));
    case 'query':
      return planQuery(authentication, scope);
    case 'login':
      return planLogin(authentication, baseUrl, scope);
    case 'oauth10':
      return E.right(planOauth10(authentication));
    case 'oauth20':
      return planOauth20(authentication, scope);
  }
}
