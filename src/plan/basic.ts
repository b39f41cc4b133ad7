import type { Authentication } from '../config/configuration';
import type { BasicPlan, PlannedAuthentication } from './authentication-plan';

/** Basic authentication: its header does not change during a run (language 4.2). */
export function planBasic({
  username,
  password,
}: Extract<Authentication, { type: 'basic' }>): PlannedAuthentication<BasicPlan> {
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  return { plan: { type: 'basic', authorization: `Basic ${pair}` }, secrets: [password, pair] };
}
