import { codec, expected, type Codec } from '../../language/codec/codec';
import type { OptionFault } from '../../language/codec/component';
import { endpoint, httpMethod, path } from '../../language/codec/values';
import { flag, object } from '../../language/codec/primitives';
import { always, optional, record, required, requiredUnless } from '../../language/codec/record';
import { isBlankData } from '../../core/json/scalars';
import { isList, isObject, merge } from '../../core/json/objects';
import type { Json, Reply } from '../../core/model';
import { exactResponseValue } from '../response-values';
import { definePagination, type ScrollRequest } from '../../language/parts/pagination/pagination';
import { headerOfResponse } from './options';
import type { Step } from '../../language/parts/pagination/paginator';
import { goOn, stop } from '../../language/parts/pagination/paginator';
import { place, placed, requireRoom } from '../../language/parts/pagination/place';

const PARAM_SOURCE =
  'the path in the response of the value for the next page; or responseHeader, the name of the header that has it';

const scrollRequestFields = record('ScrollRequestAsWritten', {
  endpoint: optional(endpoint, { about: 'The path or URL of later requests.', example: 'scroll' }),
  method: optional(httpMethod, { about: 'The method of later requests.', example: 'POST' }),
  params: always(object, { about: 'Parameters of later requests.', example: { scroll: '1m' } }),
});

const scrollRequest: Codec<ScrollRequest> = codec(
  'ScrollRequest',
  scrollRequestFields.schema,
  (input, context) =>
    isObject(input) || isList(input)
      ? scrollRequestFields.validate(input, context)
      : expected('an object like a job, with endpoint, method or params', input, context),
  scrollRequestFields.notes,
);

/**
 * Pagination by a value of the response, or of one of its headers, that the next request carries as a parameter
 * (docs/language/pagination/response.param.md, docs/language/pagination/response.link.md). The position is that value.
 */
export const responseParam = definePagination({
  name: 'response.param',
  summary: 'Sends a value of each response, such as a token, with the next request.',
  use: 'Use it for a token, a cursor or a number in the body or in a header.',
  options: {
    responseParam: requiredUnless(path, 'responseHeader', PARAM_SOURCE, {
      about: 'The path of the value in the response.',
      example: 'meta.next_token',
    }),
    responseHeader: optional(headerOfResponse, {
      about: 'The header with the value, in place of `responseParam`.',
      example: 'X-Next-Token',
    }),
    queryParam: required(place(), 'the name of the parameter that carries this value', {
      about: 'The [place](../pagination.md#places) of the value in the next request.',
      example: 'token',
    }),
    includeParams: always(flag(undefined), {
      about:
        'Whether later requests have the parameters and the body of the job. If a job has parameters and this is absent, a warning says so.',
      default: 'false',
      example: true,
    }),
    scrollRequest: optional(scrollRequest, {
      about: 'What differs in later requests: `endpoint`, `method`, `params`.',
      example: { endpoint: 'scroll', method: 'POST' },
    }),
  },
  rules: [
    'Pagination ends when the value is missing, `null`, `false`, 0, `"0"`, or an empty string or array.',
    'Numbers keep all their digits.',
    'Parameters of `scrollRequest` win over those of the job.',
  ],
  example: {
    about: 'The token is in the body:',
    config: {
      api: { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'token' } },
      config: { jobs: [{ endpoint: 'ships', dataField: 'ships' }] },
    },
    exchanges: [
      { request: 'GET /ships', response: { ships: [{ id: 1 }], next: 'q7' } },
      { request: 'GET /ships?token=q7', response: { ships: [{ id: 2 }] } },
    ],
    items: [{ id: 1 }, { id: 2 }],
  },
  check: ({ responseParam: path, responseHeader }): readonly OptionFault[] =>
    path === undefined || responseHeader === undefined
      ? []
      : [
          {
            option: 'responseHeader',
            message: 'cannot stand beside responseParam: the value for the next page comes from one of them',
          },
        ],
  scrollRequest: (options) => options.scrollRequest,
  places: ({ queryParam }) => [queryParam],
  keepsBody: ({ includeParams }) => includeParams === true,
  dropsParams: ({ includeParams, scrollRequest: scroll }) => includeParams === undefined && scroll === undefined,
  paginator: ({ responseParam: path, responseHeader, queryParam, includeParams, scrollRequest: scroll }, job) => {
    const common = merge(includeParams === true || job.graphql === true ? job.params : {}, scroll?.params ?? {});
    const header = responseHeader?.toLowerCase();
    const first: Step = { change: { params: job.params }, position: null };
    // A scrollRequest also has the body of the job, if only its parameters are set.
    const keepsBody = job.body !== undefined && (scroll === undefined || includeParams === true);
    const graphql = job.graphql === undefined ? {} : { graphql: job.graphql };
    const later = { path: job.path, params: common, ...graphql, ...(keepsBody ? { body: job.body } : {}) };
    requireRoom(later, [queryParam]);
    const paged = (position: Json): Step => ({
      change: { scroll: scroll !== undefined, ...placed(later, [{ place: queryParam, value: position }]) },
      position,
    });
    const valueOf = (reply: Reply): Json | undefined =>
      path === undefined ? [reply.response.headers[header ?? ''] ?? []].flat()[0] : exactResponseValue(reply, path);
    return {
      by: 'token',
      first,
      at: (position) => (isBlankData(position) ? first : paged(position)),
      next: ({ reply }) => {
        const value = valueOf(reply);
        return value === undefined || isBlankData(value)
          ? stop('No more pages found, stopping pagination.')
          : goOn(paged(value));
      },
    };
  },
});
