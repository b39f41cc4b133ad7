/** Options of an asynchronous job: submit, poll, fetch (docs/language/asynchronous-jobs.md). */
import * as t from 'io-ts';
import { isObject } from '../../../core/json/objects';
import type { JsonArray, JsonObject } from '../../../core/model';
import { codec, expected, map, refine, refuse } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { endpoint, httpMethod, trustedHost } from '../../codec/values';
import type { Method } from '../../codec/values';
import { onlyOneOf, always, optional, record, required, withDefault } from '../../codec/record';
import { dictionary, list, numeric, string, text } from '../../codec/primitives';
import { jobHeaders, body, expressions } from '../request';
import type { RuleCondition } from '../api/rules';
import { responseCondition } from '../api/rules';

/** The place of a value in a response: a path of its body, or a header by lower-case name. */
export type AnswerPlace = { readonly path: string } | { readonly header: string };

/** A request in addition to the pages, and the values that are read from its response. */
export interface AnsweredRequest {
  readonly endpoint: string;
  readonly method: Method;
  /** Expressions, as in a job. */
  readonly params: JsonObject;
  readonly headers: JsonObject;
  readonly body?: JsonObject | JsonArray;
  /** The places of the values that endpoints refer to, by name. */
  readonly values: Readonly<Record<string, AnswerPlace>>;
}

/** The request that polls for the result. */
export interface PollRequest extends AnsweredRequest {
  readonly everySeconds: number;
  readonly timeoutSeconds: number;
  readonly until: RuleCondition;
  readonly failed?: RuleCondition;
  readonly running?: RuleCondition;
}

/** The requests that create the result of a job before it is fetched. */
export interface Asynchronous {
  readonly submit: AnsweredRequest;
  readonly poll: PollRequest;
  /** Hosts that may serve the result; they get no credentials. */
  readonly downloadHosts: readonly string[];
}

const written = onlyOneOf(
  'AnswerPlaceWritten',
  record('AnswerPlaceAsWritten', {
    path: optional(text, { about: 'The path in the answer of the value.', example: 'export.id' }),
    header: optional(
      map('AnswerHeader', string, (name) => name.toLowerCase()),
      { about: 'The header of the answer that has the value.', example: 'Location' },
    ),
  }),
  ['path', 'header'],
  ({ path, header }): AnswerPlace | undefined =>
    path !== undefined ? { path } : header !== undefined ? { header } : undefined,
);

const atPath: Codec<AnswerPlace> = map('AnswerPath', text, (path) => ({ path }));

const answerPlace: Codec<AnswerPlace> = codec(
  'AnswerPlace',
  () => ({ anyOf: [string.schema(), written.schema()] }),
  (input, context) => {
    if (typeof input === 'string') return atPath.validate(input, context);
    return isObject(input)
      ? written.validate(input, context)
      : expected('a path, or an object with "path" or "header"', input, context);
  },
  (input, path) => (isObject(input) ? written.notes(input, path) : []),
);

const answerValues: Codec<AnsweredRequest['values']> = refine(
  'AnswerValues',
  dictionary(answerPlace),
  (values, context, input) => {
    const wrong = Object.keys(values).find((name) => /[{}]/.test(name));
    return wrong === undefined
      ? t.success(values)
      : refuse(input, context, `expected names without braces, in which they stand in endpoints: found "${wrong}"`);
  },
);

/** A week: the longest wait for one result. */
const LONGEST = 604_800;

const seconds: Codec<number> = refine('PollSeconds', numeric, (value, context) =>
  value > 0 && value <= LONGEST
    ? t.success(value)
    : expected(`a number of seconds above 0, and of ${LONGEST} at most`, value, context),
);

/** @param of the names that the endpoint may use in addition to the placeholders of the job */
const requestFields = (method: Method, what: string, of: string) => ({
  endpoint: required(endpoint, `the path or URL that ${what}`, {
    about: `The path that ${what}, relative to the base URL, or a URL.${of}`,
    example: method === 'GET' ? 'exports/{submit.id}' : 'exports',
  }),
  method: withDefault(httpMethod, method, { about: 'The method.', example: 'POST' }),
  params: always(expressions, {
    about: 'As in a job.',
    example: { kind: 'orders', since: { time: 'previousStart' } },
  }),
  headers: always(jobHeaders, { about: 'As in a job.', example: { Accept: 'application/json' } }),
  body: always(body, { about: 'As in a job.', example: { report: 'orders' } }),
});

const submit = record('Submit', {
  ...requestFields('POST', 'has the result made', ''),
  values: always(answerValues, {
    about: 'Values of the response by name: paths, or objects with `path` or `header`.',
    example: { id: 'export.id', status: { header: 'Location' } },
  }),
});

const poll = record('Poll', {
  ...requestFields('GET', 'says how far the result is', ' It may name values of `submit`.'),
  every: withDefault(seconds, 5, {
    about: 'The wait before the next poll, unless `Retry-After` is longer.',
    example: 10,
    unit: 'seconds',
  }),
  timeout: withDefault(seconds, 3600, {
    about: 'The limit for the result; then the run fails, and `--resume` continues it.',
    example: 7200,
    unit: 'seconds',
  }),
  until: required(responseCondition, 'what an answer looks like when the result is there', {
    about: 'A [condition](responses.md#rules): the result is ready.',
    example: { field: 'status', is: 'done' },
  }),
  failed: optional(responseCondition, {
    about: 'A condition: there will be no result.',
    example: { field: 'status', is: ['failed', 'cancelled'] },
  }),
  running: optional(responseCondition, {
    about: 'A condition: the result is not ready, although the status is a failure.',
    example: { status: 404 },
  }),
  values: always(answerValues, {
    about: 'As in `submit`, of the last response: `{poll.NAME}`.',
    example: { url: 'download.url' },
  }),
});

/** `asynchronous` of a job. */
export const asynchronous: Codec<Asynchronous> = map(
  'Asynchronous',
  record('AsynchronousAsWritten', {
    submit: required(submit, 'the request that has the result made', {
      about: 'The request that submits the job.',
      example: { endpoint: 'exports', params: { kind: 'orders' }, values: { id: 'id' } },
    }),
    poll: required(poll, 'the request that says whether the result is there', {
      about: 'The request that asks for its state.',
      example: { endpoint: 'exports/{submit.id}', until: { field: 'status', is: 'done' } },
    }),
    downloadHosts: always(list(trustedHost), {
      about: 'Other hosts that may have the result. They get no credentials, headers or parameters.',
      example: ['files.example.com'],
    }),
  }),
  ({ downloadHosts, submit: submission, poll: { every, timeout, ...polling } }) => ({
    submit: withoutBlankBody(submission),
    poll: { ...withoutBlankBody(polling), everySeconds: every, timeoutSeconds: timeout },
    downloadHosts,
  }),
);

const withoutBlankBody = <R extends { readonly body: JsonObject | JsonArray | undefined }>({
  body: sent,
  ...others
}: R): Omit<R, 'body'> & { readonly body?: JsonObject | JsonArray } => ({
  ...others,
  ...(sent === undefined ? {} : { body: sent }),
});
