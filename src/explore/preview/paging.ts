import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import type { JobPlan, StopsPlan } from '../../plan/plan';

/**
 * How a job pages, as sentences: its method, what the options say, and what stops it.
 *
 * @param summaries what each method does, by its name
 */
export function pagingOf({ pagination, stops, stream }: JobPlan, summaries: ReadonlyMap<string, string>): string {
  const { method, options } = pagination;
  const stopped = stops.flatMap(stopsOf);
  const ends = stopped.length === 0 ? '' : ` It also stops ${stopped.join(', ')}.`;
  if (stream !== undefined) return `One response is cut into pages of ${stream.pageItems} items as it arrives.${ends}`;
  if (method === 'none' || !summaries.has(method)) return `There is one page: no pagination is configured.${ends}`;
  const written = Object.entries(options as Readonly<Record<string, Json | undefined>>).flatMap(([name, value]) =>
    value === undefined || typeof value === 'object' || typeof value === 'function'
      ? []
      : [`${name} ${stringifyJson(value)}`],
  );
  const with_ = written.length === 0 ? '' : ` (${written.join(', ')})`;
  return `Pagination "${method}": ${summaries.get(method) ?? ''}${with_}${ends}`;
}

function stopsOf({ limitStop, forceStop, nextPageFlag, stopWhenEmpty }: StopsPlan): readonly string[] {
  return [
    ...(limitStop === undefined
      ? []
      : [
          'count' in limitStop ? `after ${limitStop.count} items` : 'when as many items have come as the response says',
        ]),
    ...(forceStop?.pages === undefined ? [] : [`after ${forceStop.pages} ${forceStop.pages === 1 ? 'page' : 'pages'}`]),
    ...(forceStop?.seconds === undefined ? [] : [`after ${forceStop.seconds} seconds`]),
    ...(forceStop?.volume === undefined ? [] : [`after ${forceStop.volume} bytes`]),
    ...(nextPageFlag === undefined
      ? []
      : [`when "${nextPageFlag.path ?? nextPageFlag.field}" is ${String(nextPageFlag.stopOn)}`]),
    ...(stopWhenEmpty === true ? ['at an empty page'] : []),
  ];
}
