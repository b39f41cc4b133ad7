/** Advice where a redirect doubles the requests of a job. */
import type { Response } from '../core/model';
import type { JobRun } from './job-run';

/** How the requests of a job have been redirected so far; `over` where one was not, or not in the same way, or the advice was given. */
export type SteadyRedirect = { readonly advice: string; readonly requests: number } | 'over';

/** Fewer requests may meet the same redirect by chance, and cost little. */
const ENOUGH = 3;

/**
 * Warns, once for each job, when the API redirects each request of the job in the same way: the configuration can have the address that they
 * lead to.
 */
export function adviseOfRedirects({ plan, ref, context }: JobRun, { request }: Response): void {
  const { redirects, report } = context;
  const known = redirects.get(plan.id);
  if (known === 'over' || plan.stream !== undefined) return;
  const { redirectedFrom, url } = request;
  const advice = redirectedFrom === undefined ? undefined : adviceFor(redirectedFrom.url, url);
  const requests = 1 + (known?.requests ?? 0);
  const isSteady = advice !== undefined && (known === undefined || known.advice === advice);
  redirects.set(plan.id, isSteady && requests < ENOUGH ? { advice, requests } : 'over');
  if (!isSteady || requests < ENOUGH) return;
  const message = `${plan.path}: the API redirected each of the first ${ENOUGH} requests of this job in the same way, which doubles the requests. ${advice}`;
  report({ type: 'warning', code: 'REDIRECTED_EACH', job: ref, message });
}

/**
 * Returns what to write in the configuration so that a request goes where it was redirected to; `undefined` where that differs in more than
 * the beginning of the address and the slash at the end of its path.
 *
 * @example adviceFor('http://api.example/a', 'https://api.example/a') // 'Write "https://api.example" in place of "http://api.example" in …'
 */
export function adviceFor(asked: string, led: string): string | undefined {
  const [before, after] = [new URL(asked), new URL(led)];
  if (before.search !== after.search) return undefined;
  const [from, to] = [partsOf(before), partsOf(after)];
  while (from.length > 1 && to.length > 1 && from.at(-1) === to.at(-1)) {
    from.pop();
    to.pop();
  }
  const [begins, leads] = [from.join('/'), to.join('/')];
  const advice = [
    ...(begins === leads ? [] : [`Write "${leads}" in place of "${begins}" in api.baseUrl or the endpoint.`]),
    ...(endsWithSlash(before) === endsWithSlash(after)
      ? []
      : [
          endsWithSlash(after)
            ? 'End the path of the endpoint with "/".'
            : 'Leave out the "/" at the end of the endpoint.',
        ]),
  ];
  return advice.length === 0 ? undefined : advice.join(' ');
}

/** Returns the origin and the segments of the path, without the slash at its end. */
const partsOf = ({ origin, pathname }: URL): string[] => [origin, ...pathname.replace(/\/$/, '').split('/').slice(1)];

const endsWithSlash = ({ pathname }: URL): boolean => pathname.endsWith('/');
