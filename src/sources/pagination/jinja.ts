import { FatalError } from '../../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Headers, Json, JsonObject } from '../../core/model';
import { endpointUrl } from '../../core/url/address';
import type { OptionFault } from '../../language/codec/component';
import { flag, integer, object, string, zeroCounts } from '../../language/codec/primitives';
import { always, optional, required } from '../../language/codec/record';
import { JinjaError, JinjaSyntaxError, isTruth, jinjaOf } from '../../language/jinja/jinja';
import { definePagination } from '../../language/parts/pagination/pagination';
import { goOn, stop } from '../../language/parts/pagination/paginator';
import type { Arrival, JobFacts, Step } from '../../language/parts/pagination/paginator';
import { place, placed } from '../../language/parts/pagination/place';
import { addressed } from './options';

/** The names that the templates have beside those of `with`. */
const NAMES = ['response', 'headers', 'last_record', 'last_page_size', 'token', 'next_page_token'];

/**
 * Pagination by templates of Jinja (docs/language/pagination/jinja.md): one gives the value for the next page, another
 * says whether there is one. The position is that value.
 */
export const jinja = definePagination({
  name: 'jinja',
  summary: 'Computes the value for the next page by a Jinja template.',
  use: 'Use it if the next page depends on more than one value of the response.',
  options: {
    next: required(string, 'the template whose value the next request has', {
      about: 'The template of the value. Without a value there is no next page.',
      example: '{{ response.page + 1 }}',
    }),
    stop: optional(string, {
      about: 'The template that is true on the last page.',
      example: '{{ response.page == response.pages }}',
    }),
    first: always(zeroCounts<number | undefined>(integer, undefined), {
      about: 'The value of the first request.',
      default: 'none',
      example: 1,
    }),
    param: optional(place(), {
      about: 'The [place](../pagination.md#places) of the value.',
      example: 'page',
      default: 'the value is the address of the next page',
    }),
    params: always(object, {
      about: 'Templates of more parameters, with the value as `token`; those without a value are left out.',
      example: { since: "{{ '' if token else '2020-01-01' }}" },
    }),
    with: always(object, {
      about: 'Values for the templates, by name; [placeholders](../jobs.md#placeholders) are filled in.',
      example: { most: 100 },
    }),
    sendNext: always(flag(true), {
      about: 'Sends the value. Without it, only `params` read it.',
      example: false,
    }),
    zeroEnds: always(flag(true), {
      about: 'Whether a false value, such as 0, means no next page.',
      example: false,
    }),
  },
  rules: [
    'Templates read `response`, `headers`, `last_record`, `last_page_size`, the `token` of this page, and the names of `with`.',
    'Pagination ends when `stop` is true or `next` has no value.',
    'If the response is an array, `response` is its first element. Header names are in lower case or with capitals; `headers.link` is an object by relation.',
    'Without `param`, parameters of the job are added to the address, unless it has them with the same value.',
  ],
  example: {
    about: 'The response has its page number and the number of pages:',
    config: {
      api: {
        pagination: {
          method: 'jinja',
          next: '{{ response.page + 1 }}',
          stop: '{{ response.page >= response.pages }}',
          param: 'page',
        },
      },
      config: { jobs: [{ endpoint: 'ships', dataField: 'ships' }] },
    },
    exchanges: [
      { request: 'GET /ships', response: { ships: [{ id: 1 }], page: 1, pages: 2 } },
      { request: 'GET /ships?page=2', response: { ships: [{ id: 2 }], page: 2, pages: 2 } },
    ],
    items: [{ id: 1 }, { id: 2 }],
  },
  check: ({ next, stop: end, params, with: given }): readonly OptionFault[] => [
    ...templateFault('next', next, given),
    ...(end === undefined ? [] : templateFault('stop', end, given)),
    ...entriesOf(params).flatMap(([, written]) =>
      typeof written === 'string' ? templateFault('params', written, given) : [],
    ),
  ],
  places: ({ param }) => (param === undefined ? [] : [param]),
  paginator: ({ next, stop: end, first: start, param, params, with: written, zeroEnds, sendNext }, job) => {
    const given = entriesOf(written).map(([name, value]) => [name, filled(value, job.placeholders)] as const);
    const evaluated = (template: string, variables: JsonObject, now: number): Json => {
      try {
        return jinjaOf(template).evaluate(objectFrom([...given, ...entriesOf(variables)]), now * 1000, null);
      } catch (error) {
        if (!(error instanceof JinjaError)) throw error;
        throw new FatalError('NEXT_PAGE', `${job.path}: the next page cannot be computed: ${error.message}`);
      }
    };
    const withToken = (token: Json, now: number): JobFacts => {
      const templates = entriesOf(params);
      if (templates.length === 0) return job;
      const next_page_token = token === null ? null : { next_page_token: token };
      const made = templates.map(([name, written]) => {
        const variables = { token, next_page_token, ...NOTHING };
        const value = typeof written === 'string' ? evaluated(written, variables, now) : written;
        return [name, typeof value === 'boolean' ? (value ? 'True' : 'False') : value] as const;
      });
      return { ...job, params: objectFrom([...entriesOf(job.params), ...made.filter(([, value]) => value !== null)]) };
    };
    const first = (now: number): Step => {
      const own = withToken(start ?? null, now);
      return start === undefined || param === undefined
        ? { change: { params: own.params }, position: null }
        : { change: placed(own, [{ place: param, value: start }]), position: start };
    };
    const paged = (position: Json, now: number): Step => {
      const own = withToken(position, now);
      if (!sendNext) return { change: { params: own.params }, position };
      return param === undefined
        ? { change: nextAt(own, position), position }
        : { change: placed(own, [{ place: param, value: position }]), position };
    };
    const now = Date.now() / 1000;
    return {
      by: 'token',
      first: first(now),
      at: (position) => (isValue(position) && position !== start ? paged(position, now) : first(now)),
      next: (arrival) => {
        const variables = variablesOf(arrival);
        if (end !== undefined && isTruth(evaluated(end, variables, arrival.now)))
          return stop('The template of "stop" says that this is the last page.');
        const value = evaluated(next, variables, arrival.now);
        const isOver = value === null || (zeroEnds && !isTruth(value));
        return isOver
          ? stop('The template of "next" has no value: there is no next page.')
          : goOn(paged(value, arrival.now));
      },
    };
  },
});

/** What a page has, where there is none yet. */
const NOTHING = { response: {}, headers: {}, last_record: {}, last_page_size: 0 };

function templateFault(option: string, template: string, given: JsonObject): readonly OptionFault[] {
  try {
    const missing = [...jinjaOf(template).names].find((name) => !NAMES.includes(name) && !Object.hasOwn(given, name));
    return missing === undefined
      ? []
      : [{ option, message: `the name '${missing}' has no value: give it one in "with"` }];
  } catch (error) {
    if (error instanceof JinjaSyntaxError) return [{ option, message: `is no template of Jinja: ${error.message}` }];
    throw error;
  }
}

/** Returns a value with the placeholders of the call in its strings. */
function filled(value: Json, placeholders: JobFacts['placeholders'] = {}): Json {
  if (typeof value === 'string')
    return value.replace(/\{([^{}]+)\}/g, (written, name: string) => placeholders[name] ?? written);
  if (isList(value)) return value.map((each) => filled(each, placeholders));
  if (!isObject(value)) return value;
  return objectFrom(entriesOf(value).map(([key, member]) => [key, filled(member, placeholders)] as const));
}

/** Returns whether a position is a value of a page. */
const isValue = (position: Json): boolean => isScalar(position) && position !== null && typeof position !== 'boolean';

function variablesOf({ reply, count, items, step }: Arrival): JsonObject {
  const { data = null, response } = reply;
  const body = isList(data) ? (data[0] ?? {}) : (data ?? {});
  const token = step.position;
  return {
    response: body,
    headers: headersOf(response.headers),
    last_record: items.at(-1) ?? {},
    last_page_size: count,
    token,
    next_page_token: token === null ? null : { next_page_token: token },
  };
}

/** Returns the headers by the names that people write, and the links of the header `link` by their relation. */
function headersOf(headers: Headers): JsonObject {
  const texts = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')] as const);
  const link = texts.find(([name]) => name === 'link')?.[1] ?? '';
  const links = Array.from(link.matchAll(/<([^>]*)>([^<]*)/g), ([, url = '', about = '']): [string, Json] => {
    const [, rel = url] = /rel="?([^";,]+)"?/.exec(about) ?? [];
    return [rel, { url, rel }];
  });
  return objectFrom([
    ...texts.map(([name, value]) => [name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()), value] as const),
    ...texts,
    ['link', objectFrom(links)] as const,
  ]);
}

/** Returns the request for an address, which has the parameters of the job as well. */
function nextAt(job: JobFacts, value: Json): Step['change'] {
  if (!isScalar(value) || typeof value === 'boolean')
    throw new FatalError('NEXT_PAGE', `${job.path}: the value of "next" is no address of a next page`);
  return addressed(job, 'beside', endpointUrl(job.baseUrl, textOf(value)));
}
