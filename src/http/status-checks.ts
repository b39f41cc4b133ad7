/** What is asked of responses that are no pages: those of asynchronous jobs (docs/language/asynchronous-jobs.md). */
import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { exactValueAt } from '../core/json/path';
import { decodeUtf8 } from '../core/json/utf8';
import type { Json, Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { excerpt } from './body/excerpt';
import { learnFromHeaders } from './body/learn-secrets';
import { readAsJson } from './body/read-body';
import { askedPause } from './rates/pause';
import { requestLine } from './request-line';
import { meets } from './rules/rule-of';
import { statusError } from './status-error';

/** Redirects that lead anywhere have been followed. */
const REDIRECT = 300;

/**
 * What jobs ask of such responses, as the members of `sources/answers.ts` say.
 *
 * @param retryHeader the header that says how long to wait
 */
export const answers = (secrets: Secrets, retryHeader: string, scheduler: SchedulerLike = asyncScheduler) => ({
  meets,
  requireSuccess: (response: Response): void => {
    if (response.status >= REDIRECT) throw statusError(response, secrets);
  },
  valueAt: (response: Response, path: string): Json | undefined => {
    const read = readAsJson(response.body);
    return read.kind === 'data' ? exactValueAt(read.data, path) : undefined;
  },
  askedPause: ({ headers }: Response): number | undefined =>
    askedPause([headers[retryHeader.toLowerCase()] ?? []].flat()[0], scheduler.now() / 1000),
  told: (response: Response): string => {
    // The headers of a cached response have not passed the transport.
    learnFromHeaders(response.headers, secrets);
    const { status, request, body } = response;
    return `[${status}] ${requestLine(request, secrets)}: ${excerpt(decodeUtf8(body), secrets)}`;
  },
});
