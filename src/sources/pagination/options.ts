/** Options that several pagination methods have. */
import { FatalError } from '../../core/errors/errors';
import { entriesOf, objectFrom } from '../../core/json/objects';
import { isBlank } from '../../core/json/scalars';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import type { RelativeTo } from '../../core/url/address';
import { paramPairs, parseQuery, splitUrl, withQuery } from '../../core/url/query';
import { accept, codec, map } from '../../language/codec/codec';
import type { Codec } from '../../language/codec/codec';
import { flag, integerFrom, oneOf, text } from '../../language/codec/primitives';
import { always, withDefault } from '../../language/codec/record';
import type { JobFacts } from '../../language/parts/pagination/paginator';
import type { RequestChange } from '../../language/requests/template';
import { ownAt } from '../../language/parts/pagination/place';
import type { Place } from '../../language/parts/pagination/place';

/** A page size. */
export const pageSize = integerFrom(1, undefined, '; with such a page size pagination could never advance');

/** The name of a response header; blanks around it are a typing error. */
export const headerOfResponse: Codec<string> = map('HeaderOfResponse', text, (name) => name.trim());

/** Returns a codec of truth values and one word beside them. */
const flagOr = <const W extends string, A extends boolean | undefined>(
  word: W,
  whenMissing: A,
): Codec<boolean | A | W> =>
  codec<boolean | A | W>(
    'FlagOrWord',
    () => ({ anyOf: [flag(whenMissing).schema(), { const: word }] }),
    (input, context) => (input === word ? accept(word) : flag(whenMissing).validate(input, context)),
  );

/** The option that says which parameters of pagination the first page is requested with. */
export const firstPageParams = always(flagOr('limit', true), {
  about: 'Whether the first request has the pagination parameters; `limit`: only the page size.',
  example: 'limit',
});

/** The option that says if the page size is sent. */
export const sendLimit = always(flag(true), {
  about: 'Whether requests have the page size. If not, pagination counts with it alone.',
  example: false,
});

/** The option that says if later requests have the parameters of the job. */
export const includeParams = always(flagOr('beside', false), {
  about:
    'Whether later requests have the parameters of the job. They win over those of the address; with `beside` both are sent.',
  example: true,
});

/** What a request for an address of a next page has in addition to the address (docs/language/pagination/response.url.md). */
export function addressed({ params }: JobFacts, include: boolean | 'beside', address: string): RequestChange {
  if (include !== 'beside') return { params: include ? params : {}, address };
  const written = parseQuery(splitUrl(address).query);
  const added = paramPairs(params).filter(
    (pair) => !written.some(({ name, value }) => name === pair.name && value === pair.value),
  );
  return { params: {}, address: added.length === 0 ? address : withQuery(address, [...written, ...added]) };
}

/** The number of requests for pages of one job that run at once. */
export const parallel = withDefault(integerFrom(1, 100), 1, {
  about: 'How many pages are requested at once. Items keep their order.',
  example: 4,
});

/** The meaning of a page that is not full. */
export const shortPage = withDefault(oneOf('ShortPage', ['last', 'capped', 'filtered']), 'last', {
  about: 'The meaning of a page that is [not full](../pagination.md#pages-that-are-not-full).',
  example: 'filtered',
});

/** The base of a relative address. */
export const relativeTo = (byDefault: RelativeTo) =>
  withDefault(oneOf('RelativeTo', ['endpoint', 'base', 'request']), byDefault, {
    about: 'The base of a relative address: the endpoint of the job, the base URL, or the request before.',
    example: 'base',
  });

/** Returns parameters with others set: an existing name keeps its place, a new one follows (docs/language/pagination.md#common-rules). */
export function withParams(params: JsonObject, set: readonly (readonly [string, Json])[]): JsonObject {
  return objectFrom(new Map([...entriesOf(params), ...set]));
}

/** Returns parameters without one of them. */
export const withoutParam = (params: JsonObject, name: string): JsonObject =>
  objectFrom(entriesOf(params).filter(([key]) => key !== name));

/**
 * Returns a number that the job itself may set at a place: a page size, a start (docs/language/pagination/offset.md).
 *
 * @returns `undefined` when the parameter is absent or blank
 * @throws FatalError CONFIG_INVALID when it is no integer
 */
export function integerParam(job: JobFacts, place: Place): number | undefined {
  const { value, path } = ownAt(job, place);
  if (value === undefined || isBlank(value)) return undefined;
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  if (typeof text === 'string' && /^\s*\d+(\.0+)?\s*$/.test(text)) return Number(text);
  throw new FatalError(
    'CONFIG_INVALID',
    `${job.path}.${path}: pagination needs an integer here, found ${stringifyJson(value)}`,
  );
}

/**
 * Returns the parameter for the page size in later requests, if the first one is sent without pagination parameters and the job does not
 * set the parameter itself; empty for another place.
 */
export function unsizedBy(
  job: JobFacts,
  { firstPageParams }: { readonly firstPageParams: boolean | 'limit' },
  at: Place,
): { readonly unsized?: string } {
  if (firstPageParams !== false || integerParam(job, at) !== undefined) return {};
  return { unsized: typeof at === 'string' ? at : '' };
}
