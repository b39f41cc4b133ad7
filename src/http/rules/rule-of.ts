import type { RuleCondition } from '../../language/configuration/api/rule';
import type { Report } from '../../core/events';
import { patternOf } from '../../language/expressions/patterns/pattern';
import { valueAt, valuesAt } from '../../core/json/path';
import { isScalar, textOf } from '../../core/json/text';
import { decodeUtf8 } from '../../core/json/utf8';
import type { Json, Response } from '../../core/model';
import type { PlacedRule, RulesPlan } from '../../plan/rules-plan';
import { readAsJson } from '../body/read-body';
import type { Reading } from '../body/read-body';

/** Finds the rule that counts for a response to a request of a job, if there is one. */
export type RuleOf = (response: Response) => PlacedRule | undefined;

/** What was found for a body, so that who asks again need not read it again. */
interface Found extends Pick<Response, 'status' | 'headers'> {
  readonly job: string;
  readonly rule: PlacedRule | undefined;
}

/**
 * The first rule that a response matches (docs/language/responses.md#rules). A body is read only where a rule looks at it
 * and all else that this rule names holds; each body is read once. Responses to logins have no rules. A rule that looks at a field of a
 * body that is no JSON is told, once: it does not hold, though its author may think so.
 *
 * @param report takes the warnings
 * @example ruleOf({ common: [{ when: { field: 'error' }, do: 'skip', path }], ofJobs: new Map(), otherFormats: new Set() }, report)(response)
 */
export function ruleOf(plan: RulesPlan, report: Report): RuleOf {
  const told = new Set<string>();
  const tell = ({ path, when: { field } }: PlacedRule, { request }: Response): void => {
    if (told.has(path)) return;
    told.add(path);
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
    const isToTell = !plan.otherFormats.has(job);
    const rule = (plan.ofJobs.get(job) ?? plan.common).find((each) =>
      holds(each.when, response, read, () => isToTell && tell(each, response)),
    );
    known.set(body, { status, headers, job, rule });
    return rule;
  };
}

/** A body, read when a rule looks at it. */
interface Read {
  /** Whether the body is something else. */
  readonly isOther: () => boolean;
  /** What it says as JSON; `undefined` where it is none. */
  readonly data: () => Json | undefined;
  readonly text: () => string;
}

function reader({ body }: Response): Read {
  let read: Reading | undefined;
  const once = (): Reading => (read ??= readAsJson(body));
  return {
    data: () => {
      const found = once();
      return found.kind === 'data' ? found.data : undefined;
    },
    isOther: () => once().kind === 'invalid',
    text: () => decodeUtf8(body),
  };
}

/** Whether a response looks like this. */
export const meets = (when: RuleCondition, response: Response): boolean =>
  holds(when, response, reader(response), () => undefined);

/** @param unread called where it looks at a field of a body that is no JSON */
function holds(when: RuleCondition, response: Response, read: Read, unread: () => void): boolean {
  const { statuses, header, field, is, matches } = when;
  const { status, headers } = response;
  if (statuses?.some(({ from, to }) => status >= from && status <= to) === false) return false;
  if (header !== undefined) return compare([headers[header] ?? []].flat(), when);
  if (field !== undefined && read.isOther()) unread();
  if (field !== undefined) return compare(valuesIn(read.data(), field), when);
  return matches === undefined ? is === undefined : finds(matches, read.text());
}

/** One of the values is as the condition has it. */
const compare = (values: readonly string[], { is, matches }: RuleCondition): boolean =>
  values.some((value) => (is === undefined || is.includes(value)) && (matches === undefined || finds(matches, value)));

const finds = (pattern: string, text: string): boolean => patternOf(pattern).matcher(text).find();

/** The scalars at a path, as strings. `null` counts as absent; an object or an array is present without a string. */
function valuesIn(data: Json | undefined, path: string): readonly string[] {
  if (data === undefined) return [];
  const values = valuesAt(data, path, '.') ?? [valueAt(data, path)];
  return values.flatMap((value) => {
    if (value === undefined || value === null) return [];
    if (!isScalar(value)) return [''];
    return [typeof value === 'boolean' ? String(value) : textOf(value)];
  });
}
