/** How values of parent items get into the requests of a child: placeholders, and batches of items that share a request. */
import * as t from 'io-ts';
import { isBlank } from '../../../core/json/scalars';
import { entriesOf, flatten, isList, isObject, keysOf, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { noting, refine, withSchema } from '../../codec/codec';
import type { Codec, Input } from '../../codec/codec';
import type { Finding, Path } from '../../codec/finding';
import { namesInBraces, pathNotes, unfilledName } from '../../codec/values';
import type { NameInBraces } from '../../codec/values';
import { asObject, isMissing, object, valueOf, integerFrom, oneOf, text } from '../../codec/primitives';
import { blank, EXPRESSION, tolerant } from '../../codec/schema';
import type { Schema } from '../../codec/schema';
import { didYouMean } from '../../codec/finding';
import { mistaken } from '../../codec/unknown-key';
import type { IterationConfiguration, Job, ChildBatch, ListStyle } from '../configuration';
import type { Pagination } from '../pagination';
import { optional, withDefault } from '../../codec/record';

const LEVEL = /^(\d+):/;

const hasPath = (field: Json): boolean => {
  const path = isObject(field) ? ownValue(field, 'path') : field;
  return typeof path === 'number' || (typeof path === 'string' && path !== '');
};

function problemOf(name: string, field: Json, depth: number): string | undefined {
  if (!hasPath(field)) return 'expected a path in the parent item, or an object with "path" and "function"';
  const optional = isObject(field) ? ownValue(field, 'optional') : undefined;
  if (optional !== undefined && typeof optional !== 'boolean') return 'expected true or false in "optional"';
  const level = Number(LEVEL.exec(name)?.[1] ?? 1);
  if (level < 1 || level > depth)
    return `level ${level} does not exist here: this child has ${depth} level(s) above it`;
  return undefined;
}

const placeholder: Schema = {
  anyOf: [
    { type: ['string', 'number'], minLength: 1 },
    {
      title: 'ComputedPlaceholder',
      type: 'object',
      properties: {
        path: { type: ['string', 'number'], minLength: 1 },
        optional: { type: 'boolean' },
        function: { type: 'string' },
        args: { type: 'array', items: EXPRESSION },
      },
      required: ['path'],
    },
  ],
};

const placeholdersObject = withSchema(object, () =>
  tolerant({ type: 'object', additionalProperties: placeholder }, { type: 'array', items: placeholder }, blank),
);

/**
 * `placeholders` of a child (docs/language/jobs.md#placeholders): every field has a path, and every level exists.
 *
 * @param depth the number of jobs above: 1 for the child of a top-level job
 */
export const placeholders = (depth: number): Codec<JsonObject> =>
  noting(placeholdersAt(depth), (written, path) =>
    entriesOf(asObject(written) ?? {}).flatMap(([name, field]) =>
      isObject(field) ? pathNotes(ownValue(field, 'path'), [...path, name, 'path']) : pathNotes(field, [...path, name]),
    ),
  );

const placeholdersAt = (depth: number): Codec<JsonObject> =>
  refine('Placeholders', depth === 0 ? object : placeholdersObject, (written, context) => {
    if (depth === 0) return t.success(written);
    const errors = entriesOf(written).flatMap(([name, field]): t.ValidationError[] => {
      const message = problemOf(name, field, depth);
      if (message === undefined) return [];
      return [{ value: field, context: t.appendContext(context, name, object, field), message }];
    });
    return errors.length > 0 ? t.failures(errors) : t.success(written);
  });

/** Returns all parts of a job and its children in which placeholders are replaced. */
const partsBelow = (job: Input): readonly Input[] => {
  const children = valueOf(job, 'children');
  const filled = isOff(valueOf(job, 'placeholdersInParams')) ? ['headers'] : ['headers', 'params', 'variables', 'body'];
  const asynchronous = valueOf(job, 'asynchronous');
  const requests = [job, ...['submit', 'poll'].map((key) => valueOf(asynchronous, key))];
  return [
    ...requests.flatMap((request) => ['endpoint', ...filled].map((key) => valueOf(request, key))),
    ...(isList(children) ? children.flatMap(partsBelow) : []),
  ];
};

const isOff = (flag: Input): boolean => !isMissing(flag) && isBlank(flag);

/** Returns the names in braces in all strings within a value. */
export function namesIn(part: Input): readonly string[] {
  if (typeof part === 'string') return namesInBraces(part).map(({ name }) => name);
  if (isList(part)) return part.flatMap(namesIn);
  return isObject(part) ? entriesOf(part).flatMap(([, value]) => namesIn(value)) : [];
}

/**
 * Finds placeholders that nothing in the job or its children uses: they only add a column
 * (docs/language/jobs.md#placeholders).
 */
export function unusedPlaceholders(job: Input, path: Path): readonly Finding[] {
  const written = valueOf(job, 'placeholders');
  if (isBlank(written)) return [];
  const names = keysOf(asObject(written) ?? {});
  const used = partsBelow(job).flatMap(namesIn);
  const open = used.filter((name) => !names.includes(name));
  return names
    .filter((name) => !used.includes(name))
    .map((name) => {
      const hint = didYouMean(name, open);
      const message = `is in no endpoint, params, variables, body or headers of this job or its children: it only adds a column${hint}`;
      // A misspelled placeholder would be sent literally, once for each parent item.
      return { path: [...path, 'placeholders', name], ...(hint === '' ? { message } : mistaken(message)) };
    });
}

/** Names of values that only Headwater gives, so that they are no literal text in any part of a request. */
const RESERVED = /^(window|submit|poll)\./;
const WINDOW_NAMES: readonly string[] = ['window.from', 'window.to'];

/** The names that jobs above a job fill in its requests. */
interface Above {
  readonly placeholders: readonly string[];
  /** Names of partitions and of the ends of windows, and attributes. */
  readonly shared: readonly string[];
}

/** The parts of a request that may hold names, with the names that are filled there. */
interface WrittenRequest {
  readonly path: Path;
  readonly parts: Readonly<Record<string, Json | undefined>>;
  readonly known: readonly string[];
  /** Why the names of answers that are not known have no value; absent if the job has no such requests. */
  readonly unanswered?: string;
}

/**
 * Finds names in braces that nothing fills: the braces would be sent. In the path of an endpoint that is a mistake, in
 * its query it may be meant, because there APIs have braces of their own, as in `fields=posts{message}`. A name of a window or of an answer is a mistake in any part of a request.
 */
export function unfilledNames({ api, settings, attributes }: IterationConfiguration): readonly Finding[] {
  const known = [...flatten(attributes)].flatMap(([name, value]) => (value === null ? [] : [name]));
  const requests = settings.jobs.flatMap((job) => requestsOf(job, { placeholders: [], shared: known }, false));
  const later = laterRequests(api.pagination, [...new Set(requests.flatMap((request) => request.known))]);
  return [...requests, ...later].flatMap(unfilledIn);
}

function requestsOf(job: Job, above: Above, isChild: boolean): readonly WrittenRequest[] {
  const { asynchronous, children, slices } = job;
  const path = keysOfPath(job.path);
  const placeholders = isChild ? [...above.placeholders, ...keysOf(job.placeholders)] : [];
  const divided = [...keysOf(slices?.partitions ?? {}), ...(slices?.window === undefined ? [] : WINDOW_NAMES)];
  const shared = [...above.shared, ...divided];
  const below = children.flatMap((child) => requestsOf(child, { placeholders, shared }, true));
  // A child without any placeholders is never called.
  if (isChild && placeholders.length === 0) return below;
  const known = [...placeholders, ...shared];
  if (asynchronous === undefined) return [{ path, parts: partsOf(job), known }, ...below];
  const { submit, poll } = asynchronous;
  const ofSubmit = Object.keys(submit.values).map((name) => `submit.${name}`);
  const ofPoll = Object.keys(poll.values).map((name) => `poll.${name}`);
  const at = [...path, 'asynchronous'];
  return [
    { path: [...at, 'submit'], parts: partsOf(submit), known, unanswered: 'nothing has been answered yet' },
    {
      path: [...at, 'poll'],
      parts: partsOf(poll),
      known: [...known, ...ofSubmit],
      unanswered: 'asynchronous.submit.values has no such name',
    },
    {
      path,
      parts: partsOf(job),
      known: [...known, ...ofSubmit, ...ofPoll],
      unanswered: 'the values of asynchronous.submit and asynchronous.poll have no such name',
    },
    ...below,
  ];
}

const partsOf = ({
  endpoint,
  params,
  headers,
  body,
  graphql,
}: Pick<Job, 'endpoint' | 'params' | 'headers' | 'body' | 'graphql'>): WrittenRequest['parts'] => ({
  endpoint,
  ...(graphql === undefined ? { params } : { variables: params, query: graphql.document }),
  headers,
  body,
});

/** Returns the requests of `scrollRequest`, which serve several jobs: a name counts as filled if one of them fills it. */
function laterRequests(pagination: Pagination, known: readonly string[]): readonly WrittenRequest[] {
  const at: Path = ['api', 'pagination'];
  const all =
    pagination.kind === 'one'
      ? [{ path: at, pagination }]
      : Object.entries(pagination.scrollers).map(([name, each]) => ({
          path: [...at, 'scrollers', name],
          pagination: each,
        }));
  return all.map(({ path, pagination: { pagination: method } }) => ({
    path: [...path, 'scrollRequest'],
    parts: { endpoint: method.scrollRequest?.endpoint },
    known,
  }));
}

/** `config.jobs[0]` → `config`, `jobs`, `0`. */
export const keysOfPath = (path: string): Path => path.split(/[.[\]]+/).filter((key) => key !== '');

const unfilledIn = (request: WrittenRequest): readonly Finding[] =>
  Object.entries(request.parts).flatMap(([key, part]) =>
    part === undefined
      ? []
      : namesAt(part, [...request.path, key]).flatMap((found): readonly Finding[] => {
          if (request.known.includes(found.name)) return [];
          if (RESERVED.test(found.name)) return reservedMistake(found, request, key);
          const hint = didYouMean(found.name, request.known);
          return key === 'endpoint' ? unfilledName(found, found.path, TO_FILL, hint) : [];
        }),
  );

const TO_FILL = 'Let "placeholders" of a child, "partitions" or an attribute of config have the name';

interface FoundName extends NameInBraces {
  readonly path: Path;
}

function namesAt(part: Json, path: Path): readonly FoundName[] {
  if (typeof part === 'string') return namesInBraces(part).map((found) => ({ path, ...found }));
  if (isList(part)) return part.flatMap((element, at) => namesOfValue(element, [...path, String(at)]));
  // The object of parameters is no expression, even if one of them is named `window`.
  return isObject(part) ? entriesOf(part).flatMap(([key, value]) => namesOfValue(value, [...path, key])) : [];
}

/** Also finds `{"window": "from"}`. */
function namesOfValue(value: Json, path: Path): readonly FoundName[] {
  const end = isObject(value) && keysOf(value).join() === 'window' ? ownValue(value, 'window') : undefined;
  const name = WINDOW_NAMES.find((known) => known === `window.${typeof end === 'string' ? end : ''}`);
  return name === undefined ? namesAt(value, path) : [{ path, name, written: JSON.stringify(value), before: '' }];
}

/** Returns the mistake of a name of a window or an answer. A job without answers may mean such text, but in its endpoint. */
function reservedMistake(
  { path, name, written }: FoundName,
  { known, unanswered }: WrittenRequest,
  key: string,
): readonly Finding[] {
  if (!name.startsWith('window.')) {
    const why = unanswered ?? 'neither "asynchronous.submit" nor "asynchronous.poll" is there to give it';
    if (unanswered === undefined && key !== 'endpoint') return [];
    return [{ path, ...mistaken(`${written}: ${why}${didYouMean(name, known)}`) }];
  }
  const why = known.includes('window.from')
    ? 'which stands for nothing: expected {window.from} or {window.to}'
    : 'and neither this job nor one above it has a "window"';
  return [{ path, ...mistaken(`has ${written}, ${why}`) }];
}

/** The keys of batches in a job (docs/language/jobs.md#batches). */
export const batchFields = {
  batch: optional(integerFrom(1), {
    about: 'How many parent items share one request.',
    example: 50,
  }),
  batchSeparator: withDefault(text, ',', {
    about: 'The separator of joined values.',
    example: ';',
  }),
  batchStyle: withDefault(oneOf('BatchStyle', ['join', 'list', 'repeat', 'brackets']), 'join', {
    about: 'How several values are sent.',
    example: 'repeat',
  }),
};

interface Written {
  readonly batch?: number;
  readonly batchSeparator: string;
  readonly batchStyle: ChildBatch['style'];
}

/** Returns the batch of a job, if it has one, and the other fields. */
export function withBatch<J extends Written>(
  job: J,
): Omit<J, keyof Written> & { readonly batch?: ChildBatch; readonly lists?: ListStyle } {
  const { batch: size, batchSeparator: separator, batchStyle: style, ...others } = job;
  return {
    ...others,
    ...(size === undefined ? {} : { batch: { size, separator, style } }),
    ...(style === 'repeat' || style === 'brackets' ? { lists: style } : {}),
  };
}

/** The styles of all arrays in parameters. */
const OF_LISTS: readonly ListStyle[] = ['repeat', 'brackets'];

/** Warns of batch options without a batch. */
export const batchNotes = (job: Input, path: Path): readonly Finding[] =>
  isBlank(valueOf(job, 'batch'))
    ? ['batchSeparator', 'batchStyle']
        .filter((key) => !isBlank(valueOf(job, key)) && !OF_LISTS.some((style) => style === valueOf(job, key)))
        .map((key) => ({ path: [...path, key], message: 'has no effect without "batch", the number of parent items' }))
    : [];
