import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Job } from '../../language/configuration/configuration';
import { pathText } from '../../language/codec/finding';
import type { Path } from '../../language/codec/finding';
import type { Pagination, SinglePagination, Stops } from '../../language/configuration/pagination/pagination';
import { didYouMean, likelyMeant } from '../../language/codec/suggest';
import { parseTime } from '../../language/expressions/dates/relative-time';
import type { ChosenPagination } from '../../language/parts/pagination/define';
import type { Parts } from '../../language/parts/parts';
import { none } from '../../language/parts/pagination/none';
import { checkEndpoint } from './endpoint';
import { documentPagination } from './graphql';
import type { JobValues } from './values';
import { checkPaginationParams } from './pagination-params';
import type { BoundJob, JobPlan, StopsPlan } from '../plan';
import { allOf, fault, validation } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';

/** How the pages of one job are ordered. */
export interface JobPagination extends Pick<JobPlan, 'pagination' | 'stops'> {
  /**
   * The job as `scrollRequest` changes it (docs/language/pagination/response.param.md), placeholders unfilled: where
   * the later requests go.
   */
  readonly laterJob?: Job;
}

/** Stops, and where they stand in the configuration. */
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
 * The pagination of a job (docs/language/pagination.md): with `multiple`, that of the scroller which the job names,
 * else of the default one, else none; the stops beside `multiple` apply as well (docs/language/stops.md).
 *
 * @param baseUrl absolute, to check the endpoint of a `scrollRequest`
 */
export const jobPagination = (
  pagination: Pagination,
  job: Job,
  baseUrl: string,
  parts: Pick<Parts, 'pagination'>,
): Checked<JobPagination> =>
  pipe(
    choose(pagination, job),
    E.flatMap((written) =>
      pipe(
        documentPagination(written.pagination, job, parts),
        E.map((ofJob) => ({ ...written, pagination: ofJob })),
      ),
    ),
    E.flatMap(({ pagination, path, stops }) =>
      pipe(
        Ap.sequenceS(validation)({
          params: checkPaginationParams(pagination, job),
          stops: allOf(stops.map(planStops)),
          later: laterRequests(pagination, path, job, baseUrl),
        }),
        E.map((planned) => ({ pagination, stops: planned.stops, ...planned.later })),
      ),
    ),
  );

/** A bound job whose later requests may be those of another one. */
export const withLaterRequests = (own: BoundJob, laterJob: BoundJob): BoundJob => ({
  ...own,
  request: (change) => (change.scroll === true ? laterJob : own).request(change),
});

/**
 * What a `scrollRequest` takes of the job: a body is as the parameters, emptied unless `includeParams`
 * (docs/language/pagination/response.param.md).
 */
export const laterValues = ({ keepsBody }: ChosenPagination, values: JobValues): JobValues =>
  keepsBody ? values : { ...values, body: undefined };

/** The pagination that the configuration has for a job, whatever that makes of it. */
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

/** Refuses a name that `scrollers` does not have; it is shown only if it is like one of those. */
const unknownScroller = (name: string, names: readonly string[], job: Job): Checked<never> => {
  const found = likelyMeant(name, names) === undefined ? 'another name' : JSON.stringify(name);
  return fault(
    job.scroller === undefined ? 'api.pagination.default' : `${job.path}.scroller`,
    `expected one of ${names.join(', ')}, found ${found}${didYouMean(name, names)}`,
  );
};

/** The time of `forceStop` becomes seconds: a string such as `1 hour` is measured from zero. */
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
  job: Job,
  baseUrl: string,
): Checked<Pick<JobPagination, 'laterJob'>> {
  if (scrollRequest === undefined) return E.right({});
  const { endpoint, method: verb } = scrollRequest;
  const laterJob = { ...job, endpoint: endpoint ?? job.endpoint, ...(verb === undefined ? {} : { method: verb }) };
  if (endpoint === undefined) return E.right({ laterJob });
  return pipe(
    checkEndpoint(baseUrl, endpoint, placeOf([...path, 'scrollRequest', 'endpoint'])),
    E.map(() => ({ laterJob })),
  );
}

const placeOf = (path: Path): string => pathText(path, undefined);
