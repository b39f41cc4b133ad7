/** Makes the configuration that detection finds, and the comments that explain it. */
import { defined, merge } from '../../core/json/objects';
import { sqlName } from '../../core/json/sql-name';
import type { Json, JsonObject } from '../../core/model';
import { percentDecode, splitUrl } from '../../core/url/query';
import { UNSURE, withHead } from './configuration-text';
import type { Comments } from './configuration-text';
import { writtenBody, writtenCredentials } from './credentials';
import type { Detected } from './model';
import { sendsParams } from './subject';
import type { Subject } from './subject';

/** The parts of a configuration. */
export interface Parts {
  readonly subject: Subject;
  readonly dataField?: string | undefined;
  readonly rows?: JsonObject | undefined;
  readonly format?: string | undefined;
  readonly pagination?: JsonObject | undefined;
  /** True if the number in the response that looks like a total counts something else. */
  readonly hasNoTotal?: boolean;
  readonly primaryKey?: readonly string[] | undefined;
  /** The name of the table; default: the last words of the path. */
  readonly dataType?: string;
  readonly children?: readonly JsonObject[];
}

/**
 * Returns the configuration of one job.
 *
 * @param withSecrets whether it contains the secrets of the request, for an immediate run; otherwise it has references
 */
export function configurationOf(parts: Parts, withSecrets = false): JsonObject {
  const { subject, dataField, rows, format, pagination, primaryKey, children = [] } = parts;
  const { baseUrl, endpoint, params } = addressOf(subject.url, sendsParams(subject));
  const written = writtenCredentials(subject, withSecrets);
  const { authentication, attributes } = written;
  const headers = merge(subject.headers, written.headers);
  const http = {
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(written.params).length === 0 ? {} : { defaultOptions: { params: written.params } }),
  };
  const dataType = parts.dataType ?? nameOfJob(subject.url);
  return {
    api: {
      baseUrl,
      ...(Object.keys(http).length === 0 ? {} : { http }),
      ...defined({ authentication, pagination }),
    },
    config: merge(attributes, {
      jobs: [
        {
          endpoint,
          dataType,
          ...sentBy(subject, params),
          ...defined({ format, dataField, rows }),
          ...(parts.hasNoTotal === true ? { total: 'none' } : {}),
          ...(children.length === 0 ? {} : { children }),
        },
      ],
      ...(primaryKey === undefined ? {} : { primaryKeys: { [dataType]: [...primaryKey] } }),
    }),
  };
}

/** The settings of a job for its requests. */
interface SentBy {
  readonly method?: string;
  readonly params?: Json;
  readonly body?: Json;
}

/** Returns the method, the parameters and the body of the job; a form is written as parameters. */
function sentBy({ method, body, isForm, credentials }: Subject, params: JsonObject): SentBy {
  const written = method === 'GET' || body === undefined ? undefined : writtenBody(body, credentials);
  if (isForm === true && written !== undefined) return { method: 'FORM', params: written };
  return {
    ...(method === 'GET' ? {} : { method }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(written === undefined ? {} : { body: written }),
  };
}

/**
 * Returns the base URL, the endpoint relative to it, and the parameters, if a configuration can write them separately: it cannot if
 * parameters are sent in the body.
 */
function addressOf(
  url: string,
  isInBody: boolean,
): { readonly baseUrl: string; readonly endpoint: string; readonly params: JsonObject } {
  const { path, query } = splitUrl(url);
  const at = path.replace(/\/$/, '').lastIndexOf('/') + 1;
  const isRoot = at <= path.indexOf('//') + 2;
  const [baseUrl, endpoint] = isRoot ? [path, '/'] : [path.slice(0, at), path.slice(at)];
  const pairs = [...new URLSearchParams(query)];
  const isPlain =
    !(isInBody && pairs.length > 0) &&
    new Set(pairs.map(([name]) => name)).size === pairs.length &&
    pairs.every(([name]) => name !== '0' && name !== '');
  return isPlain
    ? { baseUrl, endpoint, params: Object.fromEntries(pairs) }
    : { baseUrl, endpoint: `${endpoint}?${query}`, params: {} };
}

/** Segments of a path that do not describe the data: if the last one is such, the segment before it is the name. */
const GENERIC = /^_?(?:v\d+(?:\.\d+)*|api|rest|graphql|query|search|index|list|all|all_docs)$/i;
/** Segments with the same name in many places: the segment before them is needed as well. */
const GENERAL =
  /^(?:records?|items?|rows?|objects?|documents?|docs?|entries|entry|results?|data|values?|elements|members|contents?)$/i;
/** Numbers and identifiers. */
const ID = /^(?:\d+|[\da-f]{16,}|[\da-f]{8}(?:_[\da-f]{4}){3}_[\da-f]{12})$/i;

/**
 * Returns the name of the table: the last meaningful segment, together with the one before it if the name is common.
 *
 * @example nameOfJob('https://h.example/v1/collections/stations/records') // 'stations_records'
 */
export function nameOfJob(url: string): string {
  const segments = splitUrl(url)
    .path.split('/')
    .slice(3)
    .map((each) => sqlName(percentDecode(each).replace(/\.\w+$/, '')))
    .filter((each) => each !== '');
  const specific = segments.filter((each) => !GENERIC.test(each) && !ID.test(each));
  const last = specific.at(-1) ?? segments.at(-1) ?? 'items';
  const above = GENERAL.test(last) ? specific.slice(0, -1).findLast((each) => !GENERAL.test(each)) : undefined;
  const name = above === undefined ? last : `${above}_${last}`;
  return /^\d/.test(name) ? `items_${name}` : name.slice(0, 60);
}

/** The input of comments. */
interface Finding extends Detected<string> {
  readonly about: string;
}

const MARK = { sure: '', likely: '', unsure: UNSURE } as const;

const WHERE_NAME = 'where NAME is the query parameter by which the API gives only what is newer: its manual says it.';

/** Returns the comments that explain a configuration, each beside its key. */
export function commentsOf(
  findings: readonly Finding[],
  {
    sinceParam,
    dataType,
    hasKey,
  }: { readonly sinceParam?: string; readonly dataType: string; readonly hasKey: boolean },
): Comments {
  const of = (about: string): Finding | undefined => findings.find((each) => each.about === about);
  const said = (about: string): readonly string[] => {
    const found = of(about);
    return found === undefined ? [] : [`${MARK[found.confidence]}${found.reason}`];
  };
  const paging = of('paging');
  const growing = of('incremental');
  const written = JSON.stringify({ field: growing?.value, param: sinceParam ?? 'NAME' });
  const incremental = [
    `${growing?.reason} To ask only for what is new, add to this job: \`"incremental": ${written}\``,
    ...(sinceParam === undefined ? [WHERE_NAME] : []),
  ];
  const key = of('key');
  const keyHint = [
    `${UNSURE}${key?.reason ?? ''} If it is a key, add to config: \`"primaryKeys": ${JSON.stringify({ [dataType]: key?.value.split(', ') ?? [] })}\``,
  ];
  const isPaged = paging !== undefined && paging.value !== 'none';
  return withHead({
    'api/baseUrl': isPaged ? [] : said('paging'),
    'api/pagination': isPaged ? said('paging') : [],
    'api/authentication': said('credentials'),
    'api/http': said('credentials'),
    'config/jobs/0/dataType': [
      ...(key === undefined || hasKey ? [] : keyHint),
      ...(growing === undefined ? [] : incremental),
    ],
    'config/jobs/0/dataField': said('data'),
    'config/jobs/0/format': said('format'),
    [`config/primaryKeys`]: [
      ...said('key'),
      `The key of the table ${dataType}: with \`"load": "merge"\` in the job, rows with equal keys replace each other.`,
    ],
  });
}
