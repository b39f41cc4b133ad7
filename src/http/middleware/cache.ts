import { defer, from, map, mergeMap, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { requestFields } from '../../core/errors/request-fields';
import type { Report } from '../../core/events';
import type { Middleware, Request, Response } from '../../core/model';
import type { Seal } from '../../core/sealed';
import type { Secrets } from '../../core/secrets/secrets';
import type { RuleOf } from '../rules/rule-of';
import { unusableStatus } from '../unusable-status';
import { cacheKey, readEntry, writeEntry } from './cache-entries';

/** Where responses are kept, and for how long (docs/language/configuration.md#cache). */
export interface CachePolicy {
  readonly folder: string;
  readonly ttlSeconds: number;
  /** Responses are shared among requests of the same scope only. */
  readonly scope: string;
  /** Encrypts what is kept. */
  readonly seal?: Seal;
}

export interface CacheContext {
  /**
   * The statuses of success that ask for another attempt (docs/language/retries.md#what-is-retried): such a response is not
   * kept.
   */
  readonly retried: readonly number[];
  /** The rules about responses: one that a rule is for is not kept; absent: there are none. */
  readonly ruleOf?: RuleOf;
  readonly report: Report;
  readonly secrets: Secrets;
}

/**
 * Answers a request as an equal one was answered within the lifetime (docs/language/configuration.md#cache). Requests
 * are equal by method, URL, headers and body as they stand here: this middleware comes before authentication, since tokens
 * and signatures change. Kept are responses of the statuses 200 to 299 that hold data.
 *
 * Never fails for reasons of its own: what cannot be read is requested, and what cannot be written is reported once.
 *
 * @example cached({ folder: './cache', ttlSeconds: 604_800, scope: '' }, { retried: [], report, secrets })(send)
 */
export function cached(policy: CachePolicy, { retried, ruleOf, report, secrets }: CacheContext): Middleware {
  const { folder, ttlSeconds, scope } = policy;
  let hasWarned = false;
  let hasMissed = false;

  function warn(error: unknown): void {
    if (hasWarned) return;
    hasWarned = true;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Responses cannot be kept in "${folder}": ${reason}. The run goes on without the cache.`;
    report({ type: 'warning', code: 'CACHE_UNUSABLE', message });
  }

  function warnOfMiss(): void {
    if (hasMissed) return;
    hasMissed = true;
    const message =
      `Responses in "${folder}" cannot be read: they were damaged, or encrypted with another key or with none. ` +
      'They are requested again.';
    report({ type: 'warning', code: 'CACHE_UNREADABLE', message });
  }

  function reportHit(request: Request, { status, body }: Response): void {
    report({ type: 'response.cached', ...requestFields(request, secrets), status, bytes: body.byteLength });
  }

  return (send) => (request) => {
    const key = cacheKey(request, scope);
    const fresh = (): Observable<Response> =>
      send(request).pipe(
        mergeMap((response) => {
          if (!isWorthKeeping(response, retried) || ruleOf?.(response) !== undefined) return of(response);
          return from(writeEntry(policy, key, response).catch(warn)).pipe(map(() => response));
        }),
      );
    // What is not held cannot be kept, and what is asked again has another answer each time.
    if (request.streams === true || isAsked(request)) return send(request);
    return defer(() => readEntry(policy, key, ttlSeconds)).pipe(
      mergeMap((found) => {
        if (found.kind === 'unreadable') warnOfMiss();
        if (found.kind !== 'entry') return fresh();
        const { method, url, ...rest } = found.entry;
        const response = { ...rest, request: { ...request, method, url }, isCached: true };
        // What was kept before there was the rule is not what it asks for.
        if (ruleOf?.(response) !== undefined) return fresh();
        reportHit(request, response);
        return of(response);
      }),
    );
  };
}

const isAsked = ({ purpose }: Request): boolean => purpose.kind === 'page' && purpose.step !== undefined;

const isWorthKeeping = (response: Response, retried: readonly number[]): boolean => {
  const { status } = response;
  return status >= 200 && status <= 299 && !retried.includes(status) && unusableStatus(response) === undefined;
};
