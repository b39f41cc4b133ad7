import * as E from 'fp-ts/Either';
import type { Api, Job } from '../../language/configuration/configuration';
import { jsonPathOf } from '../../core/json/json-path';
import { streamed } from '../../language/parts/pagination/streamed';
import { fault } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';
import type { JobPlan, StreamPlan } from '../plan';

/** The bytes of items of a page: enough that a page costs little, and so few that its objects are gone before they grow old in memory. */
const PAGE_BYTES = 2 ** 18;

/**
 * What changes in the plan of a job whose response is streamed (docs/language/large-responses.md): its pages are JSON whatever the
 * response is, and equal ones are nothing special.
 */
export function streamOf(
  job: Job,
  { http }: Api,
  { method }: JobPlan['pagination'],
): Checked<Pick<JobPlan, 'stream' | 'pagination' | 'equalPages' | 'requestLimit'> | undefined> {
  const { stream, path, dataField } = job;
  if (stream === undefined) return E.right(undefined);
  const place = `${path}.stream`;
  const format = job.format ?? http.format;
  if (method !== 'none')
    return fault(
      place,
      `needs a job without pagination, and this one has ${method}: a response that is cut into pages has no next one. ` +
        `Let the API give all at once, or leave "stream" out`,
    );
  if (format !== undefined && !format.isJson && format.stream === undefined)
    return fault(place, `cannot be with the format ${format.name}, whose items only the whole response tells`);
  if (dataField !== undefined && jsonPathOf(dataField.path, dataField.delimiter) !== undefined)
    return fault(place, 'needs a dataField that is a path of keys: a JSON path has to see the whole response');
  const keys =
    dataField === undefined
      ? undefined
      : dataField.path === dataField.delimiter
        ? []
        : dataField.path.split(dataField.delimiter);
  const plan: StreamPlan = {
    pageItems: stream.pageItems ?? Infinity,
    pageBytes: PAGE_BYTES,
    ...(keys === undefined ? {} : { path: keys }),
    ...(format === undefined || (format.isJson && format.file === undefined) ? {} : { format }),
  };
  return E.right({ stream: plan, pagination: streamed, equalPages: 'keep', requestLimit: Infinity });
}
