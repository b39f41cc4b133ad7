import { isFailure } from '../core/errors/response-facts';
import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { addFacts, factsOf, RetryableError } from '../core/errors/errors';
import { requestFields } from '../core/events';
import type { Report } from '../core/events';
import type { Request, Response } from '../core/model';
import { holdsNoItems } from '../core/json/item-reader';
import type { AttemptOutcome } from '../operators';
import type { Secrets } from '../core/secrets/secrets';
import { withoutPlace } from './transport/network-failure';
import type { RatePlan } from '../plan/plan';
import { requestedDelay, BY_THE_LANGUAGE, backoffDelay, isSpent } from './rates/rate-feedback';
import type { RuleWait } from '../language/configuration/api/rules';
import { patternOf } from '../language/expressions/pattern';
import type { RuleOf } from './rules';
import { shortBodyText, statusError, YEAR } from './status-error';

/** The policy of retries: which failures, how often and when (docs/language/retries.md). */
export interface RetryPolicy {
  /** The most retries; 0 switches them off. */
  readonly maxRetries: number;
  /** The name of the header with the delay. */
  readonly header: string;
  readonly statusCodes: readonly number[];
  readonly curlCodes: readonly number[];
  /** The longest delay; `Infinity` for no limit. */
  readonly maxDelaySeconds: number;
  /** The largest share of a computed delay that jitter subtracts: 0 nothing, 1 all. */
  readonly jitter: number;
  /** The limit in seconds for reaching a host for the first time; `Infinity` for no limit. */
  readonly firstConnectionSeconds: number;
  /** True if a retry delay of 0 seconds means at once, and false if it counts as absent. */
  readonly zeroIsAtOnce: boolean;
}

export interface RetryContext {
  readonly report: Report;
  readonly secrets: Secrets;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
  /** Returns a random number from 0 to less than 1; `Math.random` by default. */
  readonly random?: () => number;
  /** The rules about responses: they may ask for another attempt, or for none. Absent without rules. */
  readonly ruleOf?: RuleOf;
  /** The rates, whose headers may say that a refused request came too early; absent: none. */
  readonly rates?: readonly RatePlan[];
}

/** The record of the attempts of one request. */
export interface Attempts {
  count: number;
  /** When the first one began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** True if the API asks for a longer delay than the policy allows. */
  isWaitTooLong: boolean;
  /** True if the time for a first connection has ended. */
  isUnreached: boolean;
}

/** Decides about the attempts of requests. */
export interface Retries {
  /**
   * Returns the delay before the next attempt in milliseconds, and reports and counts that attempt; `undefined` if the
   * outcome is final.
   */
  readonly pauseAfter: (outcome: Outcome, request: Request, attempts: Attempts) => number | undefined;
  /** Returns the final response, with the number of attempts. */
  readonly last: (response: Response, attempts: Attempts) => Response;
  /** Returns the final error, with the number of attempts. */
  readonly lastError: (error: unknown, attempts: Attempts) => unknown;
}

type Outcome = AttemptOutcome<Response>;

const ACCEPTED = 202;

/**
 * Creates the decisions about attempts: a request is sent again after a status or a network failure that the policy
 * names (docs/language/retries.md#what-is-retried), with the delay of {@link backoffDelay} or the delay that the response
 * asks for. When no retries are left, the last outcome is final, a response or an error. It also is if a response asks
 * for a longer delay than the policy allows, or if a host was not reached within the time for a first connection.
 *
 * @example createRetries({ maxRetries: 2, header: 'Retry-After', statusCodes: [503], curlCodes: [28], ...limits }, { report, secrets })
 */
export function createRetries(policy: RetryPolicy, context: RetryContext): Retries {
  const { report, secrets, scheduler = asyncScheduler, random = Math.random, ruleOf, rates = [] } = context;
  const header = policy.header.toLowerCase();
  // Nobody means a longer wait, even where the policy has no limit.
  const longest = Math.min(policy.maxDelaySeconds, YEAR) * 1000;
  const reading = policy.zeroIsAtOnce ? ({ zero: 'at once' } as const) : BY_THE_LANGUAGE;
  const isNamed = (response: Response): boolean =>
    policy.statusCodes.includes(response.status) || isSpent(response, rates);
  const isRetried = (response: Response): boolean => {
    const action = ruleOf?.(response)?.do;
    if (action !== undefined) return action === 'retry' || (action !== 'fail' && isNamed(response));
    return isNamed(response) || (policy.zeroIsAtOnce && isNotReady(response, header));
  };
  const delayRequestedBy = (response: Response): number | undefined =>
    isRetried(response)
      ? requestedDelay([response.headers[header] ?? []].flat()[0], scheduler.now() / 1000, reading)
      : undefined;

  const waitOf = (response: Response): RuleWait | undefined => {
    const rule = ruleOf?.(response);
    return rule?.do === 'retry' ? rule.wait : undefined;
  };

  /** Returns the delay in milliseconds that a rule gives; what the API asks for comes first. */
  function delayByRule(wait: RuleWait, response: Response, retry: number): number | undefined {
    const { header: named = header, matches, seconds, doubles, least = 0 } = wait;
    const written = [response.headers[named] ?? []].flat()[0];
    const part = matches === undefined || written === undefined ? written : partOf(written, matches);
    const asked = requestedDelay(part, scheduler.now() / 1000, reading);
    const own = seconds === undefined ? undefined : seconds * 1000 * (doubles ? 2 ** (retry - 1) : 1);
    const delay = asked ?? (own === undefined ? undefined : Math.min(own, longest));
    return delay === undefined ? undefined : Math.max(delay, least * 1000);
  }

  function delayAfter(outcome: Outcome, attempts: Attempts): number | undefined {
    if (!(outcome.kind === 'value' ? isRetried(outcome.value) : isWorthwhile(outcome.error, policy))) return undefined;
    const wait = outcome.kind === 'value' ? waitOf(outcome.value) : undefined;
    const byRule =
      outcome.kind === 'value' && wait !== undefined ? delayByRule(wait, outcome.value, attempts.count) : undefined;
    const asked = byRule ?? (outcome.kind === 'value' ? delayRequestedBy(outcome.value) : undefined);
    attempts.isWaitTooLong = asked !== undefined && asked > longest;
    if (asked !== undefined) return attempts.isWaitTooLong ? undefined : asked;
    const own = Math.round(Math.min(backoffDelay(attempts.count), longest) * (1 - policy.jitter * random()));
    attempts.isUnreached = scheduler.now() + own > deadlineOf(outcome);
    return attempts.isUnreached ? undefined : own;
  }

  return {
    pauseAfter: (outcome, request, attempts) => {
      if (attempts.count > policy.maxRetries) return undefined;
      const delayMilliseconds = delayAfter(outcome, attempts);
      if (delayMilliseconds === undefined) return undefined;
      const because = reasonOf(outcome, request, secrets, ruleOf);
      const fields = requestFields(request, secrets);
      report({ type: 'retry.scheduled', ...fields, retry: attempts.count, delayMilliseconds, because });
      attempts.count += 1;
      return delayMilliseconds;
    },
    last: (response, { count, isWaitTooLong }) => {
      const asked = delayRequestedBy(response);
      if (count === 1 && asked === undefined) return response;
      const last: Response = {
        ...response,
        ...(count === 1 ? {} : { attempts: count }),
        ...(asked === undefined ? {} : { retryAfterSeconds: asked / 1000 }),
        ...(isWaitTooLong ? { isWaitTooLong } : {}),
      };
      // The response itself says that it is not the final one.
      if (isWaitTooLong && !isFailure(response.status)) throw statusError(last, secrets);
      return last;
    },
    lastError: (error, { count, startedAt, isUnreached }) => {
      if (!(error instanceof RetryableError) || error.attempt !== undefined) return addFacts(error, { attempt: count });
      const tried = `${count} attempt${count === 1 ? '' : 's'}`;
      const seconds = ((scheduler.now() - startedAt) / 1000).toFixed(1);
      const unreached =
        ` The run ends, since nothing at this host was reached in ${tried} within ${seconds} seconds. ` +
        `Check api.baseUrl and the network; api.retryConfig.firstConnection sets how long to try a host ` +
        `that was never reached (now ${policy.firstConnectionSeconds} seconds).`;
      const after = isUnreached ? unreached : count === 1 ? '' : ` The request was given up after ${tried}.`;
      const { code, curlCode, message, cause } = error;
      return new RetryableError(code, curlCode, message + after, { ...factsOf(error), cause, attempt: count });
    },
  };
}

/** Returns the first group of what a pattern finds, or all that it finds. */
function partOf(text: string, pattern: string): string | undefined {
  const matcher = patternOf(pattern).matcher(text);
  if (!matcher.find()) return undefined;
  return (matcher.groupCount() > 0 ? matcher.group(1) : matcher.group()) ?? undefined;
}

/**
 * Returns whether the API says that there is no result yet, and when to ask again. Requests that create the result of
 * an asynchronous job are excluded: the job polls itself, and another method than GET would start it again.
 */
function isNotReady({ status, headers, body, request }: Response, header: string): boolean {
  const { purpose, method } = request;
  const isOfJob = purpose.kind === 'page' && purpose.step === undefined && method === 'GET';
  return status === ACCEPTED && isOfJob && headers[header] !== undefined && holdsNoItems(body);
}

/** Returns whether a retry may help. A failed login has had its own retries. */
function isWorthwhile(error: unknown, { curlCodes }: RetryPolicy): boolean {
  if (!(error instanceof RetryableError) || error.attempt !== undefined) return false;
  return error.curlCode !== undefined && curlCodes.includes(error.curlCode);
}

function deadlineOf(outcome: Outcome): number {
  const isLimited = outcome.kind === 'error' && outcome.error instanceof RetryableError;
  return isLimited ? (outcome.error.retryUntil ?? Infinity) : Infinity;
}

function reasonOf(outcome: Outcome, request: Request, secrets: Secrets, ruleOf?: RuleOf): string {
  if (outcome.kind === 'value') {
    const rule = ruleOf?.(outcome.value);
    const byRule = rule?.do === 'retry' ? `, and ${rule.path} says to try again` : '';
    const said = shortBodyText(outcome.value, secrets);
    return `the API answered with status ${outcome.value.status}${byRule}${said === '' ? '' : `: ${said}`}`;
  }
  const { error } = outcome;
  return secrets.mask(withoutPlace(error instanceof Error ? error.message : String(error), request, secrets));
}
