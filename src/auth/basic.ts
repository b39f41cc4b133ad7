import type { CredentialSource } from '../model';
import type { BasicPlan } from '../plan/authentication-plan';
import { perRequest } from './per-request';

/** Adds the header of basic authentication to every request (language 4.2). */
export const basic = ({ authorization }: BasicPlan): CredentialSource =>
  perRequest((request) => ({ ...request, headers: { ...request.headers, authorization } }));
