import type { CredentialSource } from '../model';
import type { QueryPlan } from '../plan/authentication-plan';
import type { Secrets } from '../secrets';
import { addValues } from './add-values';
import { perRequest } from './per-request';
import { requestContexts } from './request-contexts';

/** Adds query values that are computed from each request anew (language 4.3). */
export const query = ({ values }: QueryPlan, secrets: Secrets): CredentialSource =>
  perRequest((request) => addValues(request, values(requestContexts(request)), secrets));
