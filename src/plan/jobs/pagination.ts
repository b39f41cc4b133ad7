/** The pagination of jobs, with or without a GraphQL document (docs/language/graphql.md). */
import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Fault } from '../../core/errors/errors';
import { isBlank, isScalar } from '../../core/json/scalars';
import { allOf, fault, validation, readAt } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import { didYouMean, likelyMeant, pathText, shown, toFaults } from '../../language/codec/finding';
import type { Path } from '../../language/codec/finding';
import { anyKey } from '../../language/codec/unknown-key';
import type { Job } from '../../language/configuration/configuration';
import { notAVariable } from '../../language/configuration/jobs/graphql';
import type { Pagination, SinglePagination, Stops } from '../../language/configuration/pagination';
import { parseTime } from '../../language/expressions/dates/parse-time';
import { none } from '../../language/parts/pagination/pagination';
import type { ChosenPagination } from '../../language/parts/pagination/pagination';
import { memberOf, misfit, overwritten, ownAt } from '../../language/parts/pagination/place';
import type { Parts } from '../../language/parts/parts';
import type { BoundJob, JobPlan, StopsPlan } from '../plan';
import { planEndpoint } from './fill';
import type { EndpointSurroundings } from './fill';
import type { JobValues } from './values';

const NONE = 'none';

/**
 * Returns the pagination of a job with a document: if the configuration names none, the document itself may ask for the
 * next page, by `pageInfo` and an argument `after`.
 */
function documentPagination(
  chosen: ChosenPagination,
  { path, graphql }: Job,
  { pagination }: Pick<Parts, 'pagination'>,
): Checked<ChosenPagination> {
  const connection = pagination.get('connection');
  const pages = graphql?.connection;
  if (chosen.method !== NONE || pages === undefined || !pages.asksForNext || connection === undefined)
    return E.right(chosen);
  if (pages.after === undefined)
    return fault(
      `${path}.query`,
      `asks for pageInfo of ${pages.path.join('.')}, but nothing can ask for the next page: let pageInfo have endCursor, declare a variable such as $after, and pass it as the argument "after". For the first page alone, leave hasNextPage out`,
    );
  const options = { pageInfo: [...pages.path, 'pageInfo'].join('.'), afterParam: [pages.after] };
  return pipe(
    readAt(connection.codec(anyKey), options, [path, 'query']),
    E.mapLeft((found) => toFaults(found, undefined)),
  );
}

/** Refuses pagination values that the document does not declare: it would return its first page again and again. */
function undeclaredVariables({ method, places }: ChosenPagination, { path, graphql }: Job): readonly Fault[] {
  if (graphql === undefined || method === NONE) return [];
  const at = `${path}.query`;
  if (places.length === 0)
    return [{ path: at, message: `cannot be paged by the method ${method}, which sets no variable` }];
  return places.flatMap((place) => {
    const member = memberOf(place, { graphql });
    const [name] = member === undefined ? [] : [member].flat();
    if (name === undefined || graphql.variables.includes(name)) return [];
    const message = `the pagination (${method}) has a value for a variable that is not there: ${notAVariable(name, graphql.variables)}. Every page would be the first, so declare it, or name another variable in api.pagination`;
    return [{ path: at, message }];
  });
}

const WHOLE = /^\s*\d+(\.0+)?\s*$/;

/**
 * Checks the parameters of a job that the pagination counts with (docs/language/pagination/offset.md,
 * docs/language/pagination/pagenum.md), and the values at or on the way to its places: literal ones are checked before
 * the run.
 */
function checkPaginationParams(pagination: ChosenPagination, written: Job): Checked<void> {
  const { counts, places } = pagination;
  const { path: job, params, body, graphql } = written;
  const own = { params, ...(body === undefined ? {} : { body }), ...(graphql === undefined ? {} : { graphql }) };
  const inTheWay = places.flatMap((place): Fault[] => {
    const found = misfit(own, place) ?? overwritten(own, place);
    return found === undefined ? [] : [{ path: `${job}.${found.path}`, message: found.message }];
  });
  const noCounts = counts.flatMap((place): Fault[] => {
    const { value, path } = ownAt(own, place);
    // Computed values and placeholders are known only when the job runs.
    if (value === undefined || isBlank(value) || !isScalar(value) || /[{}]/.test(String(value))) return [];
    if (typeof value !== 'boolean' && WHOLE.test(String(value))) return [];
    return [
      {
        path: `${job}.${path}`,
        message: `pagination needs an integer here, found ${shown(value, path.split('.'))}`,
      },
    ];
  });
  const faults = [...undeclaredVariables(pagination, written), ...inTheWay, ...noCounts];
  return faults.length === 0 ? E.right(undefined) : E.left(faults);
}

/** The pagination of one job. */
export interface JobPagination extends Pick<JobPlan, 'pagination' | 'stops'> {
  /**
   * What `scrollRequest` (docs/language/pagination/response.param.md) changes in the job for later requests, with
   * placeholders unfilled.
   */
  readonly later?: Partial<Pick<Job, 'endpoint' | 'method'>>;
}

/** Stops with their path in the configuration. */
interface PlacedStops {
  readonly path: Path;
  readonly stops: Stops;
}

interface Chosen {
  readonly pagination: ChosenPagination;
  readonly path: Path;
  readonly stops: readonly PlacedStops[];
}

const PAGINATION: Path = ['api', 'pagination'];

/**
 * Returns the pagination of a job (docs/language/pagination.md). With `multiple`, it is the scroller that the job
 * names, else the default scroller, else none; the stops next to `multiple` apply as well (docs/language/stops.md).
 *
 * @param surroundings also of the endpoint of a `scrollRequest`
 */
export const jobPagination = (
  pagination: Pagination,
  job: Job,
  surroundings: EndpointSurroundings & { readonly parts: Pick<Parts, 'pagination'> },
): Checked<JobPagination> =>
  pipe(
    choose(pagination, job),
    E.flatMap((written) =>
      pipe(
        documentPagination(written.pagination, job, surroundings.parts),
        E.map((ofJob) => ({ ...written, pagination: ofJob })),
      ),
    ),
    E.flatMap(({ pagination, path, stops }) =>
      pipe(
        Ap.sequenceS(validation)({
          params: checkPaginationParams(pagination, job),
          stops: allOf(stops.map(planStops)),
          later: laterRequests(pagination, path, surroundings),
        }),
        E.map(({ stops: planned, later }) => ({ pagination, stops: planned.filter(isAny), ...later })),
      ),
    ),
  );

/** Returns a bound job whose later requests may belong to another one. */
export const withLaterRequests = (own: BoundJob, laterJob: BoundJob): BoundJob => ({
  ...own,
  request: (change) => (change.scroll === true ? laterJob : own).request(change),
});

/**
 * Returns the values of the job for a `scrollRequest`: parameters and body are emptied unless `includeParams` is set
 * (docs/language/pagination/response.param.md).
 */
export const laterValues = ({ keepsBody }: ChosenPagination, values: JobValues): JobValues =>
  keepsBody ? values : { ...values, body: undefined };

/** Returns the configured pagination of a job. */
export function choose(pagination: Pagination, job: Job): Checked<Chosen> {
  if (pagination.kind === 'one') return E.right(chosen(pagination, PAGINATION));
  const { scrollers, default: byDefault, stops } = pagination;
  const name = job.scroller ?? byDefault;
  if (name === undefined) return E.right(chosen({ kind: 'one', pagination: none, stops }, PAGINATION));
  const scroller = Object.hasOwn(scrollers, name) ? scrollers[name] : undefined;
  if (scroller === undefined) return unknownScroller(name, Object.keys(scrollers), job);
  return E.right(chosen(scroller, [...PAGINATION, 'scrollers', name], [{ path: PAGINATION, stops }]));
}

const chosen = ({ stops, pagination }: SinglePagination, path: Path, above: readonly PlacedStops[] = []): Chosen => ({
  pagination,
  path,
  stops: [...above, { path, stops }],
});

/** Refuses an unknown scroller; its name is shown only if it is similar to a known one. */
const unknownScroller = (name: string, names: readonly string[], job: Job): Checked<never> => {
  const found = likelyMeant(name, names) === undefined ? 'another name' : JSON.stringify(name);
  return fault(
    job.scroller === undefined ? 'api.pagination.default' : `${job.path}.scroller`,
    `expected one of ${names.join(', ')}, found ${found}${didYouMean(name, names)}`,
  );
};

const isAny = (stops: StopsPlan): boolean => Object.keys(stops).length > 0;

/** Compiles stops. The time of `forceStop` becomes seconds: a string such as `1 hour` is measured from zero. */
function planStops({ path, stops }: PlacedStops): Checked<StopsPlan> {
  const { forceStop, ...others } = stops;
  if (forceStop === undefined) return E.right(others);
  const { time, ...limits } = forceStop;
  if (time === undefined) return E.right({ ...others, forceStop: limits });
  const seconds = typeof time === 'number' ? time : parseTime(time, 0);
  if (seconds !== undefined) return E.right({ ...others, forceStop: { ...limits, seconds } });
  return fault(
    placeOf([...path, 'forceStop', 'time']),
    `expected seconds or a string such as "1 hour", found a string that is no time`,
  );
}

function laterRequests(
  { scrollRequest }: ChosenPagination,
  path: Path,
  surroundings: EndpointSurroundings,
): Checked<Pick<JobPagination, 'later'>> {
  if (scrollRequest === undefined) return E.right({});
  const { endpoint, method } = scrollRequest;
  const later = method === undefined ? {} : { method };
  if (endpoint === undefined) return E.right({ later });
  return pipe(
    planEndpoint(endpoint, placeOf([...path, 'scrollRequest', 'endpoint']), surroundings),
    E.map((filled) => ({ later: { ...later, endpoint: filled } })),
  );
}

const placeOf = (path: Path): string => pathText(path, undefined);
