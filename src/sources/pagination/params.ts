import { FatalError } from '../../core/errors/errors';
import { isBlank } from '../../core/json/blank';
import { entriesOf, objectFrom } from '../../core/json/keys';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import type { JobFacts } from '../../language/parts/pagination/paginator';
import type { Place } from '../../language/parts/pagination/place';
import { ownAt } from '../../language/parts/pagination/placed';

/**
 * Parameters with others set: a name that is there keeps its place, a new one follows
 * (docs/language/pagination.md#common-rules).
 */
export function withParams(params: JsonObject, set: readonly (readonly [string, Json])[]): JsonObject {
  return objectFrom(new Map([...entriesOf(params), ...set]));
}

/** Parameters without one of them. */
export const withoutParam = (params: JsonObject, name: string): JsonObject =>
  objectFrom(entriesOf(params).filter(([key]) => key !== name));

/**
 * A number that the job itself may have at a place: a page size, a start (docs/language/pagination/offset.md).
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
 * The parameter that has the page size in later requests, where the first one is sent without parameters of the pagination, and the
 * job has none itself; empty for another place.
 */
export function unsizedBy(
  job: JobFacts,
  { firstPageParams }: { readonly firstPageParams: boolean },
  at: Place,
): { readonly unsized?: string } {
  if (firstPageParams || integerParam(job, at) !== undefined) return {};
  return { unsized: typeof at === 'string' ? at : '' };
}
