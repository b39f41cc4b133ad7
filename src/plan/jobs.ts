import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Api, Job } from '../config/configuration';
import type { Pagination } from '../config/pagination';
import type { Contexts } from '../expressions/expression';
import type { Headers } from '../model';
import { isTrusted } from '../url/origin';
import { endpointIn } from './endpoint';
import { compileEntries } from './entries';
import { headerTexts } from './headers';
import type { JobPlan, PagingPlan, RunTimes } from './plan';
import { buildRequest } from './request-template';
import { fault, validation } from './validation';
import type { Checked } from './validation';

/** What all jobs of a run have in common. */
export interface JobSurroundings {
  readonly api: Api;
  readonly baseUrl: string;
  /** Headers of every API request, by lower-case name (language 2.5, layers 1 to 3). */
  readonly headers: Headers;
  readonly contexts: Contexts;
}

/** Compiles a job (specification 2.3 and 4.2, language 6.1). */
export function planJob(job: Job, { api, baseUrl, headers, contexts }: JobSurroundings): Checked<JobPlan> {
  const own = headerTexts(job.headers);
  const withDefaults = { ...headers, ...own };
  const place = { path: `${job.path}.params`, contexts: ['attr', 'time'] as const, urlencode: false, known: contexts };
  return pipe(
    Ap.sequenceS(validation)({
      url: endpointIn(baseUrl, job.endpoint, `${job.path}.endpoint`),
      params: compileEntries(job.params, place),
      paging: pagingOf(api.pagination, job.path),
    }),
    E.map(({ url, params, paging }) => {
      const template = {
        url,
        method: job.method ?? api.http.defaultMethod ?? 'GET',
        defaultParams: api.http.defaultParams,
        // Default headers may be credentials: they go where credentials may go.
        headers: (target: string) => (isTrusted(target, baseUrl, api.http.allowedHosts) ? withDefaults : own),
        purpose: { kind: 'page' as const, job: job.id },
      };
      return {
        id: job.id,
        path: job.path,
        endpoint: job.endpoint,
        dataType: job.dataType,
        url,
        params: (times: RunTimes) => params({ ...contexts, time: new Map(Object.entries(times)) }),
        request: (change) => buildRequest(template, change),
        items: job.dataField ?? { delimiter: '.' },
        paging,
        requestLimit: job.requestLimit,
      };
    }),
  );
}

function pagingOf(pagination: Pagination, path: string): Checked<PagingPlan> {
  switch (pagination.method) {
    case 'none':
    case 'offset':
    case 'response.url':
      return E.right(pagination);
    default:
      return fault('api.pagination.method', `"${pagination.method}" is not supported yet (needed by ${path})`);
  }
}
