/** Rules about responses (docs/language/responses.md#rules), and responses that are not pages. */
import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { FatalError, RetryableError } from '../core/errors/errors';
import type { RequestFacts } from '../core/errors/errors';
import { responseFacts, isFailure } from '../core/errors/response-facts';
import type { Report } from '../core/events';
import { exactValueAt, valueAt, valuesAt } from '../core/json/path';
import { objectFrom } from '../core/json/objects';
import { isScalar, textOf } from '../core/json/scalars';
import type { Json, Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import type { RuleCondition } from '../language/configuration/api/rules';
import { patternOf } from '../language/expressions/pattern';
import { JinjaError, isTruth, jinjaOf } from '../language/jinja/jinja';
import type { PlacedRule, RulesPlan } from '../plan/plan';
import { shownText } from './body/characters';
import { readAsJson } from './body/read-body';
import type { Reading } from './body/read-body';
import { excerpt, learnFromHeaders, requestLine } from './masking';
import { requestedDelay } from './rates/rate-feedback';
import { statusError } from './status-error';

/** Returns the rule that applies to a response to a request of a job, if there is one. */
export type RuleOf = (response: Response) => PlacedRule | undefined;

/** The rule found for a body, so that a second lookup need not read it again. */
interface Found extends Pick<Response, 'status' | 'headers'> {
  readonly job: string;
  readonly rule: PlacedRule | undefined;
}

/**
 * Returns the first rule that a response matches (docs/language/responses.md#rules). A body is read only if a rule
 * examines it and all other conditions of this rule hold; each body is read once. Responses to logins have no rules. A
 * rule that examines a field of a body that is not JSON does not match, and is reported once, because its author may
 * expect otherwise.
 *
 * @param report receives the warnings
 * @example ruleOf({ common: [{ when: { field: 'error' }, do: 'skip', path }], ofJobs: new Map(), otherFormats: new Set() }, report)(response)
 */
export function ruleOf(plan: RulesPlan, report: Report): RuleOf {
  const reported = new Set<string>();
  const reportOnce = ({ path, when: { field } }: PlacedRule, { request }: Response): void => {
    if (reported.has(path)) return;
    reported.add(path);
    const { method, purpose } = request;
    const message =
      `${path} looks at the field "${field ?? ''}" of bodies of JSON, and a response to a ${method} request of ` +
      `${purpose.kind === 'page' ? (purpose.path ?? purpose.job) : 'a login'} is none, so it does not hold. ` +
      `Use "matches", "header" or "status" for such a response, or set the "format" of the job.`;
    report({ type: 'warning', code: 'RULE_NOT_JSON', message });
  };
  const known = new WeakMap<Uint8Array, Found>();
  return (response) => {
    const { purpose } = response.request;
    if (purpose.kind !== 'page') return undefined;
    const { path: job = '' } = purpose;
    const { status, headers, body } = response;
    const before = known.get(body);
    if (before?.status === status && before.headers === headers && before.job === job) return before.rule;
    const read = reader(response);
    const isReported = !plan.otherFormats.has(job);
    const rule = (plan.ofJobs.get(job) ?? plan.common).find((each) =>
      holds(each.when, response, read, () => isReported && reportOnce(each, response)),
    );
    known.set(body, { status, headers, job, rule });
    return rule;
  };
}

/** A body that is read when a rule examines it. */
interface Read {
  /** Returns whether the body is not JSON. */
  readonly isOther: () => boolean;
  /** Returns its JSON value; `undefined` if it is not JSON. */
  readonly data: () => Json | undefined;
  readonly text: () => string;
}

function reader({ body, headers }: Response): Read {
  let read: Reading | undefined;
  const once = (): Reading => (read ??= readAsJson(body, { headers }));
  return {
    data: () => {
      const found = once();
      return found.kind === 'data' ? found.data : undefined;
    },
    isOther: () => once().kind === 'invalid',
    text: () => shownText(body, { headers }),
  };
}

/** Returns whether a response matches a condition. */
const meets = (when: RuleCondition, response: Response): boolean =>
  holds(when, response, reader(response), () => undefined);

/** @param unread is called if the condition examines a field of a body that is not JSON */
function holds(when: RuleCondition, response: Response, read: Read, unread: () => void): boolean {
  const { statuses, header, field, is, matches, jinja } = when;
  const { status, headers } = response;
  if (statuses?.some(({ from, to }) => status >= from && status <= to) === false) return false;
  if (jinja !== undefined && !isTrueOf(jinja, response, read)) return false;
  if (header !== undefined) return compare([headers[header] ?? []].flat(), when);
  if (field !== undefined && read.isOther()) unread();
  if (field !== undefined) return compare(valuesIn(read.data(), field), when);
  return matches === undefined ? is === undefined : finds(matches, read.text());
}

/** Returns whether a template is true of a response; one that fails is not. */
function isTrueOf(template: string, { headers }: Response, read: Read): boolean {
  const texts = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')] as const);
  const variables = { response: read.data() ?? {}, headers: objectFrom(texts) };
  try {
    return isTruth(jinjaOf(template).evaluate(variables, Date.now(), null));
  } catch (error) {
    if (error instanceof JinjaError) return false;
    throw error;
  }
}

/** Returns whether one of the values matches the condition. */
const compare = (values: readonly string[], { is, matches }: RuleCondition): boolean =>
  values.some((value) => (is === undefined || is.includes(value)) && (matches === undefined || finds(matches, value)));

const finds = (pattern: string, text: string): boolean => patternOf(pattern).matcher(text).find();

/**
 * Returns the scalars at a path, as strings. `null` counts as absent; an object or an array is present but has no
 * string.
 */
function valuesIn(data: Json | undefined, path: string): readonly string[] {
  if (data === undefined) return [];
  const values = valuesAt(data, path, '.') ?? [valueAt(data, path)];
  return values.flatMap((value) => {
    if (value === undefined || value === null) return [];
    if (!isScalar(value)) return [''];
    return [typeof value === 'boolean' ? String(value) : textOf(value)];
  });
}

/**
 * A rule about a page: it counts as one without items (`skip`), and ends the pagination where the configuration wants no more (`stop`) or the
 * API has no more (`end`), or it is the last page (`last`).
 */
export interface Ruled {
  readonly kind: 'skip' | 'stop' | 'end' | 'last';
  readonly because: string;
  /** True if the rule looks at nothing but the status, which a wrong address may have as well. */
  readonly isByStatus: boolean;
}

const REFUSED = 'The API refuses the credentials, and they were renewed once or cannot be';

/**
 * Applies the rules to a response that has passed retries and the renewal of credentials
 * (docs/language/responses.md#rules). Statuses of 400 and above that call for a retry or for new credentials are
 * errors, as without rules.
 *
 * @returns `undefined` for a response that is read as usual
 * @throws FatalError API_ERROR if the rule says so, or if new credentials have not helped; RetryableError API_STATUS if
 *   the retries are used up
 */
export const judge =
  (ruleOf: RuleOf, secrets: Secrets) =>
  (response: Response): Ruled | undefined => {
    const rule = ruleOf(response);
    if (rule === undefined) return undefined;
    const isByStatus = Object.keys(rule.when).every((key) => key === 'statuses');
    switch (rule.do) {
      case 'skip':
        return { kind: 'skip', because: `${rule.path} skips the response: ${shortOf(response, secrets)}.`, isByStatus };
      case 'stop':
      case 'end':
      case 'last':
        return {
          kind: rule.do,
          because: `${rule.path} ends the pagination: ${shortOf(response, secrets)}.`,
          isByStatus,
        };
      case 'fail':
        throw new FatalError('API_ERROR', ...failure(rule, response, secrets, 'The API request failed'));
      case 'retry':
        throw rule.message === undefined
          ? statusError(response, secrets)
          : new RetryableError('API_ERROR', undefined, ...failure(rule, response, secrets, ''));
      case 'renew':
        if (isFailure(response.status) && rule.message === undefined) throw statusError(response, secrets);
        throw new FatalError('API_ERROR', ...failure(rule, response, secrets, REFUSED));
    }
  };

const shortOf = ({ status, request }: Response, secrets: Secrets): string =>
  `[${status}] ${requestLine(request, secrets)}`;

/** Returns the message of the error that a rule causes, and the facts of its response. */
function failure(rule: PlacedRule, response: Response, secrets: Secrets, what: string): [string, RequestFacts] {
  // The headers of a cached response have not passed the transport.
  learnFromHeaders(response.headers, secrets);
  const body = excerpt(shownText(response.body, response), secrets);
  const message = `${rule.message ?? `${what}.`} (${rule.path}) ${shortOf(response, secrets)}: ${body}`;
  return [message, responseFacts(response, secrets)];
}

/** Reads responses that are not pages: those of asynchronous jobs (docs/language/asynchronous-jobs.md). */

/** The first status of redirects. A redirect with a target has been followed already. */
const REDIRECT = 300;

/**
 * Returns the functions by which jobs read such responses; see `sources/answers.ts`.
 *
 * @param retryHeader the header with the delay
 */
export const answers = (secrets: Secrets, retryHeader: string, scheduler: SchedulerLike = asyncScheduler) => ({
  meets,
  requireSuccess: (response: Response): void => {
    if (response.status >= REDIRECT) throw statusError(response, secrets);
  },
  valueAt: (response: Response, path: string): Json | undefined => {
    const read = readAsJson(response.body, response);
    return read.kind === 'data' ? exactValueAt(read.data, path) : undefined;
  },
  requestedDelay: ({ headers }: Response): number | undefined =>
    requestedDelay([headers[retryHeader.toLowerCase()] ?? []].flat()[0], scheduler.now() / 1000),
  shown: (response: Response): string => {
    // The headers of a cached response have not passed the transport.
    learnFromHeaders(response.headers, secrets);
    const { status, request, body } = response;
    return `[${status}] ${requestLine(request, secrets)}: ${excerpt(shownText(body, response), secrets)}`;
  },
});
