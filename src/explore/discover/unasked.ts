/** What a list is where nobody can be asked: by its description, or by the response that was recorded. */
import type { Discovery, DiscoveryFinding } from './discover';
import { commentsOf } from '../detect/comments';
import { configurationOf } from '../detect/configuration';
import { toldCredentials } from '../detect/credentials';
import { findData } from '../detect/data-place';
import { SIZED, withPageSize } from '../detect/page-size';
import { unaskedPaging } from '../detect/paging/unasked';
import { seenIn } from '../detect/paging/signs';
import { printable } from '../detect/printable';
import { subjectOf } from '../detect/subject';
import type { Beginning } from '../import/imported';
import { parseData } from '../../core/json/parse';
import { isScalar, textOf } from '../../core/json/text';

/**
 * What a list is by its description, or by its recorded response.
 *
 * @param taken as `subjectOf` has it
 */
export function unasked(beginning: Beginning, why: string, taken: Map<string, string>): Discovery {
  const { described, recorded: [recorded] = [], name: dataType, request } = beginning;
  const sizedUrl = withPageSize(request.url, described);
  const subject = subjectOf({ ...request, url: sizedUrl }, taken);
  const { url, status, headers } = recorded ?? { url: subject.url, status: 200, headers: {} };
  const data = recorded === undefined ? described?.sample : parseData(recorded.body);
  const place = findData(data, url);
  const seen = seenIn({ url, status, headers, data }, place.value);
  const asked = new Map([
    ...(described?.params ?? []).flatMap(({ name, fallback }): [string, string][] =>
      isScalar(fallback) && fallback !== null ? [[name, textOf(fallback)]] : [],
    ),
    ...seen.asked,
  ]);
  const paging = unaskedPaging({ ...seen, asked }, recorded === undefined ? (described ?? { params: [] }) : undefined);
  const source = recorded === undefined ? 'The description of the API says so' : 'The recording says so';
  const credentials = toldCredentials(subject.credentials);
  const findings: readonly DiscoveryFinding[] = [
    {
      about: 'data',
      value: place.value.dataField ?? 'the response itself',
      confidence: recorded === undefined ? 'unsure' : place.confidence,
      reason: data === undefined ? 'Nothing says where the items are.' : `${source}: ${place.reason}`,
    },
    {
      about: 'paging',
      value: typeof paging.value?.['method'] === 'string' ? paging.value['method'] : 'none',
      confidence: 'unsure',
      reason: `${paging.reason} (${why.replace(/\.$/, '')}.)`,
    },
    ...(credentials === undefined
      ? []
      : [{ about: 'credentials', value: 'credentials', confidence: 'unsure', reason: credentials } as const]),
  ];
  const printed = findings.map((each) => ({ ...each, value: printable(each.value), reason: printable(each.reason) }));
  const parts = { subject, dataField: place.value.dataField, pagination: paging.value, dataType };
  return {
    configuration: configurationOf(parts),
    runnable: configurationOf(parts, true),
    comments: {
      ...commentsOf(printed, { dataType, hasKey: false }),
      ...(sizedUrl === request.url ? {} : SIZED),
    },
    findings: printed,
    items: recorded === undefined ? [] : place.value.items,
    dataType,
    requests: 0,
  };
}
