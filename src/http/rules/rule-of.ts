import type { RuleCondition } from '../../config/api/rule';
import { patternOf } from '../../expressions/patterns/pattern';
import { valueAt, valuesAt } from '../../json/path';
import { isScalar, textOf } from '../../json/text';
import { decodeUtf8 } from '../../json/utf8';
import type { Json, Response } from '../../model';
import type { PlacedRule, RulesPlan } from '../../plan/rules-plan';
import { readAsJson } from '../body/read-body';

/** Finds the rule that counts for a response to a request of a job, if there is one. */
export type RuleOf = (response: Response) => PlacedRule | undefined;

/** What was found for a body, so that who asks again need not read it again. */
interface Found extends Pick<Response, 'status' | 'headers'> {
  readonly job: string;
  readonly rule: PlacedRule | undefined;
}

/**
 * The first rule that a response matches (docs/language/responses.md#rules). A body is read only where a rule looks at it
 * and all else that this rule names holds; each body is read once. Responses to logins have no rules.
 *
 * @example ruleOf({ common: [{ when: { statuses: [{ from: 404, to: 404 }] }, do: 'skip', path }], ofJobs: new Map() })(response)
 */
export function ruleOf(plan: RulesPlan): RuleOf {
  const known = new WeakMap<Uint8Array, Found>();
  return (response) => {
    const { purpose } = response.request;
    if (purpose.kind !== 'page') return undefined;
    const { job } = purpose;
    const { status, headers, body } = response;
    const before = known.get(body);
    if (before?.status === status && before.headers === headers && before.job === job) return before.rule;
    const read = reader(response);
    const rule = (plan.ofJobs.get(job) ?? plan.common).find(({ when }) => holds(when, response, read));
    known.set(body, { status, headers, job, rule });
    return rule;
  };
}

/** A body, read when a rule looks at it. */
interface Read {
  /** What it says as JSON; `undefined` where it is none. */
  readonly data: () => Json | undefined;
  readonly text: () => string;
}

function reader({ body }: Response): Read {
  let data: { readonly value: Json | undefined } | undefined;
  return {
    data: () => {
      if (data === undefined) {
        const read = readAsJson(body);
        data = { value: read.kind === 'data' ? read.data : undefined };
      }
      return data.value;
    },
    text: () => decodeUtf8(body),
  };
}

/** Whether a response looks like this. */
export const meets = (when: RuleCondition, response: Response): boolean => holds(when, response, reader(response));

function holds(when: RuleCondition, response: Response, read: Read): boolean {
  const { statuses, header, field, is, matches } = when;
  const { status, headers } = response;
  if (statuses?.some(({ from, to }) => status >= from && status <= to) === false) return false;
  if (header !== undefined) return compare([headers[header] ?? []].flat(), when);
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
