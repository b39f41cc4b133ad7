import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Api, Job } from '../config/configuration';
import { bindEndpoint } from './bind';
import { compileEntries } from './entries';
import { checkEndpoint } from './endpoint';
import { pagingOf, scrolling } from './paging';
import { planPlaceholders } from './placeholders';
import type { ChildPlan, JobPlan } from './plan';
import type { JobSurroundings } from './job-surroundings';
import { timesContext } from './times';
import { userDataOf } from './user-data';
import { allOf, validation } from './validation';
import type { Checked } from './validation';

/** Compiles a job and its children (specification 2.3 and 4.2, language 6.1 and 6.6). */
export function planJob(job: Job, surroundings: JobSurroundings, isChild = false): Checked<JobPlan> {
  const { api, settings, baseUrl, contexts } = surroundings;
  const place = { path: `${job.path}.params`, contexts: ['attr', 'time'] as const, urlencode: false, known: contexts };
  return pipe(
    Ap.sequenceS(validation)({
      endpoint: checkEndpoint(baseUrl, job.endpoint, `${job.path}.endpoint`),
      params: compileEntries(job.params, place),
      paging: pagingOf(api.pagination, job, baseUrl),
      userData: userDataOf(job, settings, isChild, contexts),
      children: allOf(job.children.map((child) => planChild(child, surroundings))),
    }),
    E.map(({ params, paging: { paging, stops, scrolled }, userData, children }) => ({
      id: job.id,
      path: job.path,
      endpoint: job.endpoint,
      dataType: job.dataType,
      params: (times) => params(timesContext(contexts, times)),
      bind: (texts) => {
        const bound = bindEndpoint(job, surroundings, texts);
        return scrolled === undefined ? bound : scrolling(bound, bindEndpoint(scrolled, surroundings, texts));
      },
      ...formatOf(job, api),
      items: job.dataField ?? { delimiter: '.' },
      responseFilter: {
        paths: job.responseFilter,
        delimiter: job.responseFilterDelimiter,
        keepScalars: settings.compatLevel <= 2,
      },
      paging,
      stops,
      requestLimit: job.requestLimit,
      userData,
      children,
    })),
  );
}

/** The format of the job, or the one for all jobs. */
function formatOf({ format: own }: Job, { http }: Api): Pick<JobPlan, 'format'> {
  const format = own ?? http.format;
  return format === undefined ? {} : { format };
}

const planChild = (job: Job, surroundings: JobSurroundings): Checked<ChildPlan> =>
  pipe(
    Ap.sequenceS(validation)({
      job: planJob(job, surroundings, true),
      placeholders: planPlaceholders(job.placeholders, job.path),
    }),
    E.map((child) => ({ ...child, ...(job.recursionFilter === undefined ? {} : { filter: job.recursionFilter }) })),
  );
