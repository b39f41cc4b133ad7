import { right } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { isList, isObject } from '../json/keys';
import { choose, codec, expected, map, refuse, type Codec, type Input } from '../codec/codec';
import { endpoint } from '../codec/endpoint';
import { parallel } from '../codec/flow';
import { httpMethod } from '../codec/http-method';
import type { ResponseParamOptions, ScrollerMethod } from './pagination';
import { asObject, constant, flag, integer, integerFrom, object, oneOf, text, valueOf, zeroCounts } from '../codec/primitives';
import { always, optional, record, required, withDefault } from '../codec/record';
import { stopNames } from './stops';
import { likelyMeant } from '../codec/suggest';
import { ignored, mistaken, unknownKey, type KeyJudge } from '../codec/unknown-key';

const pageSize = integerFrom(1, undefined, '; with such a page size paging could never advance');

const PARAM_SOURCE =
  'the path in the response of the value for the next page; or responseHeader, the name of the header that has it';

const place = oneOf('RelativeTo', ['endpoint', 'base', 'request']);

const urlOptions = {
  urlKey: withDefault(text, 'next_page'),
  paramIsQuery: always(flag(false)),
  includeParams: always(flag(false)),
  relativeTo: withDefault(place, 'endpoint'),
};

const scrollRequestOptions = record('ScrollRequestAsWritten', {
  endpoint: optional(endpoint),
  method: optional(httpMethod),
  params: always(object),
});

const scrollRequest: Codec<NonNullable<ResponseParamOptions['scrollRequest']>> = codec(
  'ScrollRequest',
  (input, context) =>
    isObject(input) || isList(input)
      ? scrollRequestOptions.validate(input, context)
      : expected('an object like a job, with endpoint, method or params', input, context),
  scrollRequestOptions.notes,
);

/**
 * The options of each method, with their defaults (specification 4.3, language 5.3 to 5.8); `response.link` and
 * `responseHeader` are extensions (docs/extensions/response-headers.md).
 */
const options = {
  offset: {
    method: always(constant('offset')),
    limit: required(pageSize, 'the page size; offset pagination counts with it'),
    limitParam: withDefault(text, 'limit'),
    offsetParam: withDefault(text, 'offset'),
    firstPageParams: always(flag(true)),
    offsetFromJob: always(flag(false)),
    parallel: withDefault(parallel, 1),
  },
  pagenum: {
    method: always(constant('pagenum')),
    pageParam: withDefault(text, 'page'),
    limit: optional(pageSize),
    limitParam: withDefault(text, 'limit'),
    firstPage: always(zeroCounts(integer, 1)),
    firstPageParams: always(flag(true)),
    parallel: withDefault(parallel, 1),
  },
  'response.url': {
    method: always(constant('response.url')),
    ...urlOptions,
    delimiter: withDefault(text, '.'),
  },
  'response.link': {
    method: always(constant('response.link')),
    rel: withDefault(text, 'next'),
    includeParams: always(flag(false)),
    // RFC 8288 section 3.2: a reference is relative to the resource that was requested.
    relativeTo: withDefault(place, 'request'),
  },
  'response.param': {
    method: always(constant('response.param')),
    responseParam: required(text, PARAM_SOURCE),
    responseHeader: optional(text),
    queryParam: required(text, 'the name of the parameter that carries this value'),
    includeParams: always(flag(false)),
    scrollRequest: optional(scrollRequest),
  },
  cursor: {
    method: always(constant('cursor')),
    idKey: required(text, 'the path in an item of the value to count by'),
    param: required(text, 'the name of the parameter that carries the cursor'),
    increment: always(zeroCounts(integer, 0)),
    reverse: always(flag(false)),
  },
  'zendesk.response.url': {
    method: always(constant('zendesk.response.url')),
    ...urlOptions,
  },
};

type MethodName = keyof typeof options;
export const methodNames = Object.keys(options) as readonly MethodName[];

/** What to say about a key that is no option of this method; the common stops are read elsewhere. */
export const keysOfMethod =
  (method: string, ofOthers: typeof ignored = ignored): KeyJudge =>
  (key, value, names) => {
    if (stopNames.includes(key)) return undefined;
    const owners = ownersOf(key);
    if (owners.length > 0) return ofOthers(`has no effect with ${method}: it is an option of ${owners.join(', ')}`);
    const own = [...names, ...stopNames];
    return unknownKey()(key, value, likelyMeant(key, own) === undefined ? [...own, ...optionNames] : own);
  };

const optionNames = [...new Set(Object.values(options).flatMap(Object.keys)), 'scrollers', 'default'];

const ownersOf = (key: string): readonly string[] =>
  key === 'scrollers' || key === 'default'
    ? ['method multiple']
    : methodNames.filter((name) => Object.hasOwn(options[name], key));

const ofMethod = (method: MethodName): KeyJudge => keysOfMethod(`method ${method}`);

const zendesk = record('ZendeskResponseUrl', options['zendesk.response.url'], ofMethod('zendesk.response.url'));

const paramOptions = options['response.param'];

const withoutSource = (written: Omit<ResponseParamOptions, 'source'>): Omit<ResponseParamOptions, 'source'> => {
  const { method, queryParam, includeParams, scrollRequest } = written;
  return { method, queryParam, includeParams, ...(scrollRequest === undefined ? {} : { scrollRequest }) };
};

const fromBody: Codec<ResponseParamOptions> = map(
  'ResponseParam',
  record('ResponseParamAsWritten', paramOptions, ofMethod('response.param')),
  ({ responseParam: path, ...written }) => ({ ...withoutSource(written), source: { path } }),
);

const fromHeader: Codec<ResponseParamOptions> = map(
  'ResponseParamFromHeader',
  record(
    'ResponseParamFromHeaderAsWritten',
    { ...paramOptions, responseParam: optional(text), responseHeader: required(text, 'the name of the header') },
    ofMethod('response.param'),
  ),
  ({ responseHeader: header, ...written }) => ({
    ...withoutSource(written),
    source: { header: header.toLowerCase() },
  }),
);

/** `responseParam` or `responseHeader`: exactly one of them. */
const responseParam: Codec<ResponseParamOptions> = choose('ResponseParam', (input, context) => {
  const header = valueOf(input, 'responseHeader');
  if (isBlank(header)) return right(fromBody);
  if (isBlank(valueOf(input, 'responseParam'))) return right(fromHeader);
  const place = t.appendContext(context, 'responseHeader', text, header);
  return refuse(header, place, 'cannot stand beside responseParam: the value for the next page comes from one of them');
});

/** One codec a method. */
export const scrollerMethods = {
  offset: record('Offset', options.offset, ofMethod('offset')),
  pagenum: record('Pagenum', options.pagenum, ofMethod('pagenum')),
  'response.url': record('ResponseUrl', options['response.url'], ofMethod('response.url')),
  'response.link': record('ResponseLink', options['response.link'], ofMethod('response.link')),
  'response.param': responseParam,
  cursor: record('Cursor', options.cursor, ofMethod('cursor')),
  'zendesk.response.url': map('Zendesk', zendesk, (written) => ({ ...written, delimiter: '.' })),
} satisfies Record<MethodName, Codec<ScrollerMethod>>;

const withoutMethod = (ofOthers: typeof ignored): Codec<ScrollerMethod> =>
  record('NoPagination', { method: always(constant('none')) }, keysOfMethod('no pagination method', ofOthers));

const switchedOff = withoutMethod(ignored);
const forgotten = withoutMethod(mistaken);

/** A blank method switches paging off; one that is absent was forgotten, or misspelled, where options stand beside it. */
export const noMethod = (written: Input): Codec<ScrollerMethod> =>
  Object.hasOwn(asObject(written) ?? {}, 'method') ? switchedOff : forgotten;
