/** What is asked of responses that are no pages: those of asynchronous jobs (docs/language/asynchronous-jobs.md). */
import type { RuleCondition } from '../config/api/rule';
import { exactValueAt } from '../json/path';
import { decodeUtf8 } from '../json/utf8';
import type { Json, Response } from '../model';
import type { Secrets } from '../secrets';
import { excerpt } from './body/excerpt';
import { learnFromHeaders } from './body/learn-secrets';
import { readAsJson } from './body/read-body';
import { askedPause } from './rates/pause';
import { requestLine } from './request-line';
import { meets } from './rules/rule-of';
import { statusError } from './status-error';

export interface Answers {
  /** Whether a response looks like this. */
  readonly meets: (when: RuleCondition, response: Response) => boolean;
  /** @throws HeadwaterError API_STATUS for a status of failure */
  readonly requireSuccess: (response: Response) => void;
  /** The value at a path of the body; `undefined` where there is none. */
  readonly valueAt: (response: Response, path: string) => Json | undefined;
  /** The milliseconds that a response asks to wait, if it does. */
  readonly askedPause: (response: Response) => number | undefined;
  /** The response as messages show it. */
  readonly told: (response: Response) => string;
}

/** Redirects that lead anywhere have been followed. */
const REDIRECT = 300;

/** @param retryHeader the header that says how long to wait */
export const answers = (secrets: Secrets, retryHeader: string): Answers => ({
  meets,
  requireSuccess: (response) => {
    if (response.status >= REDIRECT) throw statusError(response, secrets);
  },
  valueAt: (response, path) => {
    const read = readAsJson(response.body);
    return read.kind === 'data' ? exactValueAt(read.data, path) : undefined;
  },
  askedPause: ({ headers }) => askedPause([headers[retryHeader.toLowerCase()] ?? []].flat()[0], Date.now() / 1000),
  told: (response) => {
    // Those of a response that was kept have not passed the transport.
    learnFromHeaders(response.headers, secrets);
    const { status, request, body } = response;
    return `[${status}] ${requestLine(request, secrets)}: ${excerpt(decodeUtf8(body), secrets)}`;
  },
});
