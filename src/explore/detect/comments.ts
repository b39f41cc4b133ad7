import type { Detected } from './detected';
import type { Comments } from './configuration-text';

/** What comments are made of. */
interface Told extends Detected<string> {
  readonly about: string;
}

const UNSURE = 'UNSURE: ';
const MARK = { sure: '', likely: '', unsure: UNSURE } as const;

/** The comments of a configuration: why it is as it is, beside the key that each is about. */
export function commentsOf(
  findings: readonly Told[],
  {
    sinceParam,
    dataType,
    hasKey,
  }: { readonly sinceParam?: string; readonly dataType: string; readonly hasKey: boolean },
): Comments {
  const of = (about: string): Told | undefined => findings.find((each) => each.about === about);
  const told = (about: string): readonly string[] => {
    const found = of(about);
    return found === undefined ? [] : [`${MARK[found.confidence]}${found.reason}`];
  };
  const paging = of('paging');
  const growing = of('incremental');
  const incremental =
    growing === undefined
      ? []
      : [
          `${growing.reason} To ask only for what is new, add to this job: "incremental": {"field": "${growing.value}", "param": "${sinceParam ?? 'NAME'}"}`,
          ...(sinceParam === undefined
            ? ['where NAME is the query parameter by which the API gives only what is newer: its manual says it.']
            : []),
        ];
  const key = of('key');
  const keyHint = [`UNSURE: ${key?.reason ?? ''} If it is a key, name it in config.primaryKeys: {"${dataType}": …}.`];
  const isPaged = paging !== undefined && paging.value !== 'none';
  return {
    '': ['Written by headwater init. What begins with UNSURE needs a look.'],
    'api/baseUrl': isPaged ? [] : told('paging'),
    'api/pagination': isPaged ? told('paging') : [],
    'api/authentication': told('credentials'),
    'api/http': told('credentials'),
    'config/jobs/0/dataType': [...(key === undefined || hasKey ? [] : keyHint), ...incremental],
    'config/jobs/0/dataField': told('data'),
    'config/jobs/0/format': told('format'),
    [`config/primaryKeys`]: [
      ...told('key'),
      `The key of the table ${dataType}: with "load": "merge" in the job, rows with equal keys replace each other.`,
    ],
  };
}
