import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { RetryableError } from '../errors';
import type { Report } from '../events';
import type { Middleware, Response } from '../model';
import { retryHinted } from '../operators/retry-hinted';
import type { Outcome } from '../operators/retry-hinted';
import type { Secrets } from '../secrets';
import { pauseBefore } from './pause';

/** What is retried, and how often (language 2.7). */
export interface RetryPolicy {
  /** 0 switches retries off. */
  readonly maxRetries: number;
  /** Name of the header that says how long to wait. */
  readonly header: string;
  readonly statusCodes: readonly number[];
  readonly curlCodes: readonly number[];
}

export interface RetryContext {
  readonly report: Report;
  readonly secrets: Secrets;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Sends a request again after a status or a network failure that the policy names (language 2.7), with the pause of
 * {@link pauseBefore}. Each attempt passes all of the inner `send` again, authentication included. When no retries are
 * left, the last outcome is passed on, be it a response or an error.
 *
 * @example retry({ maxRetries: 2, header: 'Retry-After', statusCodes: [503], curlCodes: [28] }, { report, secrets })(send)
 */
export function retry(policy: RetryPolicy, context: RetryContext): Middleware {
  const { report, secrets, scheduler = asyncScheduler } = context;
  const header = policy.header.toLowerCase();
  return (send) => (request) =>
    send(request).pipe(
      retryHinted<Response>({
        maxRetries: policy.maxRetries,
        pause: (outcome, attempt) =>
          isWorthwhile(outcome, policy)
            ? pauseBefore(attempt, headerOf(outcome, header), scheduler.now() / 1000)
            : undefined,
        onRetry: (outcome, attempt, delayMilliseconds) =>
          report({
            type: 'retry.scheduled',
            purpose: request.purpose,
            method: request.method,
            url: secrets.mask(request.url),
            retry: attempt,
            delayMilliseconds,
            because: reasonOf(outcome, secrets),
          }),
        scheduler,
      }),
    );
}

function isWorthwhile(outcome: Outcome<Response>, { statusCodes, curlCodes }: RetryPolicy): boolean {
  if (outcome.kind === 'value') return statusCodes.includes(outcome.value.status);
  const { error } = outcome;
  return error instanceof RetryableError && error.curlCode !== undefined && curlCodes.includes(error.curlCode);
}

const headerOf = (outcome: Outcome<Response>, name: string): string | undefined =>
  outcome.kind === 'value' ? [outcome.value.headers[name] ?? []].flat()[0] : undefined;

function reasonOf(outcome: Outcome<Response>, secrets: Secrets): string {
  if (outcome.kind === 'value') return `the API answered with status ${outcome.value.status}`;
  return secrets.mask(outcome.error instanceof Error ? outcome.error.message : String(outcome.error));
}
