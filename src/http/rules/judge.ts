import { FatalError, RetryableError } from '../../core/errors/errors';
import type { RequestFacts } from '../../core/errors/errors';
import { responseFacts } from '../../core/errors/response-facts';
import type { Response } from '../../core/model';
import type { PlacedRule } from '../../plan/rules-plan';
import type { Secrets } from '../../core/secrets/secrets';
import { excerpt } from '../body/excerpt';
import { learnFromHeaders } from '../body/learn-secrets';
import { requestLine } from '../request-line';
import { statusError } from '../status-error';
import { decodeUtf8 } from '../../core/json/utf8';
import type { RuleOf } from './rule-of';

/** A rule that makes a response one without items: alone, or as the end of the job's pagination. */
export interface Ruled {
  readonly kind: 'skip' | 'stop';
  readonly because: string;
}

const FAILURE = 400;
const REFUSED = 'The API refuses the credentials, and they were renewed once or cannot be';

/**
 * What the rules make of a response that has passed retries and the renewal of credentials
 * (docs/language/responses.md#rules). Statuses of 400 and above that were to be tried again, or to be asked for with other
 * credentials, are errors as without rules.
 *
 * @returns `undefined` for a response that is read as ever
 * @throws FatalError API_ERROR where the rule says so, or where new credentials have not helped; RetryableError API_STATUS
 *   where the retries are used up
 */
export const judge =
  (ruleOf: RuleOf, secrets: Secrets) =>
  (response: Response): Ruled | undefined => {
    const rule = ruleOf(response);
    switch (rule?.do) {
      case undefined:
        return undefined;
      case 'skip':
        return { kind: 'skip', because: `${rule.path} skips the response: ${shortOf(response, secrets)}.` };
      case 'stop':
        return { kind: 'stop', because: `${rule.path} ends the pagination: ${shortOf(response, secrets)}.` };
      case 'fail':
        throw new FatalError('API_ERROR', ...told(rule, response, secrets, 'The API request failed'));
      case 'retry':
        throw rule.message === undefined
          ? statusError(response, secrets)
          : new RetryableError('API_ERROR', undefined, ...told(rule, response, secrets, ''));
      case 'renew':
        if (response.status >= FAILURE && rule.message === undefined) throw statusError(response, secrets);
        throw new FatalError('API_ERROR', ...told(rule, response, secrets, REFUSED));
    }
  };

const shortOf = ({ status, request }: Response, secrets: Secrets): string =>
  `[${status}] ${requestLine(request, secrets)}`;

/** The message of the error that a rule leads to, and what is known of its response. */
function told(rule: PlacedRule, response: Response, secrets: Secrets, what: string): [string, RequestFacts] {
  // The headers of a cached response have not passed the transport.
  learnFromHeaders(response.headers, secrets);
  const body = excerpt(decodeUtf8(response.body), secrets);
  const message = `${rule.message ?? `${what}.`} (${rule.path}) ${shortOf(response, secrets)}: ${body}`;
  return [message, responseFacts(response, secrets)];
}
