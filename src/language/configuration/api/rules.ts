import * as t from 'io-ts';
import { isList } from '../../../core/json/objects';
import { textOf } from '../../../core/json/scalars';
import { codec, expected, map, refine, refuse, withSchema } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { flag, isMissing, list, numeric, numericValue, oneOf, oneOrList, string, text } from '../../codec/primitives';
import { always, optional, record, required } from '../../codec/record';
import { mistaken, unknownKey } from '../../codec/unknown-key';
import { hasValue } from '../../codec/schema';
import type { Schema } from '../../codec/schema';
import type { UnknownKeyPolicy } from '../../codec/unknown-key';
import { path } from '../../codec/values';
import { patternOf } from '../../expressions/pattern';
import { JinjaSyntaxError, jinjaOf } from '../../jinja/jinja';
import { ScriptError } from '../../parts/errors';

/** A rule about responses (docs/language/responses.md#rules): the treatment of a matching response. */
export interface ResponseRule {
  readonly when: RuleCondition;
  readonly do: RuleAction;
  /** The message of the error, if the rule raises one. */
  readonly message?: string;
  /** With `retry`: how long to wait for the next attempt. */
  readonly wait?: RuleWait;
}

/** How long a rule lets a request wait. What the API asks for in a header comes first. */
export interface RuleWait {
  /** Seconds; absent: as without a rule. */
  readonly seconds?: number;
  /** True if each wait is twice as long as the one before. */
  readonly doubles: boolean;
  /** The header that says when to try again; absent: that of `retryConfig`. */
  readonly header?: string;
  /** The part of the header that says it: the first group of a regular expression, or all that it finds. */
  readonly matches?: string;
  /** The shortest wait in seconds. */
  readonly least?: number;
}

export type RuleAction = 'retry' | 'stop' | 'skip' | 'end' | 'last' | 'fail' | 'renew';

/** The condition of a rule: all given members must hold. */
export interface RuleCondition {
  readonly statuses?: readonly StatusRange[];
  /** The header to examine; if absent, the body as text. */
  readonly header?: string;
  readonly field?: string;
  /** The accepted texts; without it and `matches`, any value is enough. */
  readonly is?: readonly string[];
  /** A regular expression that must match a part of the text. */
  readonly matches?: string;
  /** A template of Jinja that must be true of `response`, the body, and `headers`. */
  readonly jinja?: string;
}

/** A range of statuses, both ends included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

const LEAST = 100;
const MOST = 599;
const CLASS = /^([1-5])xx$/i;

/** A status, or a class of statuses such as `5xx`. */
const status: Codec<StatusRange> = codec(
  'RuleStatus',
  {
    anyOf: [
      { type: 'integer', minimum: LEAST, maximum: MOST },
      { type: 'string', pattern: '^[1-5]([0-9][0-9]|[xX][xX])$' },
    ],
  },
  (input, context) => {
    const hundreds = typeof input === 'string' ? CLASS.exec(input)?.[1] : undefined;
    if (hundreds !== undefined) return t.success({ from: Number(hundreds) * 100, to: Number(hundreds) * 100 + 99 });
    const number = typeof input === 'string' && !/^\d{3}$/.test(input) ? undefined : numericValue(input);
    return number !== undefined && Number.isInteger(number) && number >= LEAST && number <= MOST
      ? t.success({ from: number, to: number })
      : expected('a status such as 404, or a class of them such as "5xx"', input, context);
  },
);

/** The expected value. Values are compared in their JSON spelling, so that a code may be a number or a string. */
const wanted: Codec<string> = codec('RuleValue', { type: ['string', 'number', 'boolean'] }, (input, context) =>
  typeof input === 'string' || typeof input === 'number' || typeof input === 'bigint' || typeof input === 'boolean'
    ? t.success(typeof input === 'boolean' ? String(input) : textOf(input))
    : expected('a string, a number or a boolean', input, context),
);

const oneOrMoreWanted = oneOrList(wanted);

/** The accepted values. `false`, 0 and the empty string are values here, not blank. */
const is: Codec<readonly string[] | undefined> = codec(
  'RuleValues',
  () => oneOrMoreWanted.schema(),
  (input, context) => {
    if (input === null)
      return refuse(input, context, 'null is no value to compare with. Without "is" it holds where there is a value');
    if (isMissing(input)) return t.success(undefined);
    return isList(input) && input.length === 0
      ? refuse(input, context, 'an empty array holds for no response')
      : oneOrMoreWanted.validate(input, context);
  },
);

const pattern: Codec<string> = refine('RulePattern', string, (written, context, input) => {
  try {
    patternOf(written);
    return t.success(written);
  } catch (error) {
    if (error instanceof ScriptError) return refuse(input, context, error.message);
    throw error;
  }
});

const NAMES: readonly string[] = ['response', 'headers'];

const template: Codec<string> = refine('RuleTemplate', string, (written, context, input) => {
  try {
    const other = [...jinjaOf(written).names].find((name) => !NAMES.includes(name));
    return other === undefined ? t.success(written) : refuse(input, context, `the name '${other}' has no value here`);
  } catch (error) {
    if (error instanceof JinjaSyntaxError) return refuse(input, context, `is no template: ${error.message}`);
    throw error;
  }
});

const fields = {
  status: optional(oneOrList(status), {
    about: 'One or more statuses. `"5xx"` is 500 to 599.',
    example: [404, '5xx'],
  }),
  header: optional(
    map('RuleHeader', string, (name) => name.toLowerCase()),
    { about: 'The header to look at.', example: 'X-Error' },
  ),
  field: optional(path, { about: 'The path in the body to look at.', example: 'error.code' }),
  is: always(is, {
    about: 'The value of the field or header, or an array of them. `429` equals `"429"`.',
    example: ['RATE_LIMIT', 'BUSY'],
    default: 'any value but `null`',
  }),
  matches: optional(pattern, {
    about: 'A pattern (RE2) for the field or header, else for the body.',
    example: 'rate limit',
  }),
  jinja: optional(template, {
    about: 'A [template](jinja.md) that is true; it reads `response` and `headers`.',
    example: '{{ response.busy }}',
  }),
};

const BY_OTHER_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['equals', 'equal', 'eq', 'value', 'values', 'in'].map((key) => [key, 'write "is"'])),
  ...Object.fromEntries(['regex', 'pattern', 'like', 'contains'].map((key) => [key, 'write "matches"'])),
  ...Object.fromEntries(
    ['code', 'statuses', 'status_code', 'statusCode', 'httpStatus'].map((key) => [key, 'write "status"']),
  ),
  headers: 'write "header", the name of one',
  body: 'write "field", the path of a value in the body, or "matches" alone',
  path: 'write "field"',
};
const usual = unknownKey(BY_OTHER_NAMES);

/**
 * Returns the policy for keys of a condition. Without a misspelled part, a condition would match more responses, and
 * wanted items would be skipped.
 */
const conditionKey: UnknownKeyPolicy = (key, value, names) => {
  const found = usual(key, value, names);
  return found?.isUnknown === true ? mistaken(`${found.message}; a condition has ${names.join(', ')}`) : found;
};

/** Adds to the schema which keys of a condition go together. */
function withKeysTogether(schema: Schema): Schema {
  const object = schema.anyOf?.[0] ?? schema;
  const looked = ['header', 'field'].map(hasValue);
  const allOf: readonly Schema[] = [
    { anyOf: [...looked, ...['status', 'matches', 'jinja'].map(hasValue)] },
    { not: { allOf: looked } },
    { not: { allOf: ['is', 'matches'].map(hasValue) } },
    { anyOf: [{ not: hasValue('is') }, ...looked] },
  ];
  return { ...object, allOf: [...(object.allOf ?? []), ...allOf] };
}

/** The condition of a rule (docs/language/responses.md#rules). */
export const responseCondition: Codec<RuleCondition> = withSchema(
  refine(
    'RuleCondition',
    record('RuleConditionAsWritten', fields, conditionKey),
    ({ status: statuses, is: values, ...rest }, context, input) => {
      const { header, field, matches, jinja } = rest;
      if (header !== undefined && field !== undefined)
        return refuse(input, context, 'both "header" and "field" are given: write only one of them');
      if (values !== undefined && matches !== undefined)
        return refuse(input, context, 'both "is" and "matches" are given: write only one of them');
      if (values !== undefined && header === undefined && field === undefined)
        return refuse(input, context, 'required: "field" or "header", whose value is compared with "is"');
      if ([statuses, header, field, matches, jinja].every((each) => each === undefined))
        return refuse(input, context, 'required: one of "status", "header", "field", "matches" and "jinja"');
      return t.success({
        ...rest,
        ...(statuses === undefined ? {} : { statuses }),
        ...(values === undefined ? {} : { is: values }),
      });
    },
  ),
  (inner) => withKeysTogether(inner()),
);

const wait = record('RuleWait', {
  seconds: optional(numeric, { about: 'The wait.', example: 30, unit: 'seconds' }),
  doubles: always(flag(false), {
    about: 'Doubles each wait.',
    example: true,
  }),
  header: optional(
    map('WaitHeader', string, (name) => name.toLowerCase()),
    {
      about: 'The header with the time of the retry: seconds, a date, or Unix time.',
      example: 'X-RateLimit-Reset',
      default: '`retryHeader` of `retryConfig`',
    },
  ),
  matches: optional(pattern, {
    about: 'A pattern (RE2) for the header; its first group or match counts.',
    example: 'reset=(\\d+)',
  }),
  least: optional(numeric, { about: 'The shortest wait.', example: 5, unit: 'seconds' }),
});

const rule = record('ResponseRule', {
  when: required(responseCondition, 'what the response looks like', {
    about: 'The conditions; all must hold.',
    example: { field: 'error.code', is: 'RATE_LIMIT' },
  }),
  do: required(oneOf('RuleAction', ['retry', 'stop', 'skip', 'end', 'last', 'fail', 'renew']), 'what is done then', {
    about: 'What to do with the response.',
    example: 'retry',
  }),
  message: optional(text, {
    about: 'The message of an error.',
    example: 'The plan of this account has no exports.',
  }),
  wait: optional(wait, {
    about: 'With `retry`: the wait, if no header says it.',
    example: { seconds: 30 },
    default: 'that of [retries](retries.md#how-long-it-waits)',
  }),
});

/** Rules; the first one that matches applies (docs/language/responses.md#rules). */
export const responseRules: Codec<readonly ResponseRule[]> = list(rule, 'an array of rules');
