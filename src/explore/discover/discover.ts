/** Finds out how an API returns its data, by requests, and writes a configuration for it. */
import { askerOf, type Asker, type AskOptions } from './requests';
import { findPaging, type FoundPaging, type PagingSearch } from './paging';
import { refuseError, refuseFailure, understood } from './first-response';
import type { Answer, Detected } from '../detect/model';
import { findData, type DataPlace } from '../detect/data-place';
import { commentsOf, configurationOf, nameOfJob, type Parts } from '../detect/configuration';
import type { Comments } from '../detect/configuration-text';
import { growingFieldOf, isCertainKey, primaryKeyOf } from '../detect/item-keys';
import { namesMore, seenIn } from '../detect/paging/signs';
import { printable } from '../detect/configuration-text';
import { recordedFetch } from '../detect/recorded-fetch';
import { describeCredentials } from '../detect/credentials';
import { isRead, subjectOf, type Subject, type WrittenRequest } from '../detect/subject';
import { defined } from '../../core/json/objects';
import { namesTo, valueAt, valuesAt } from '../../core/json/path';
import type { Json, JsonObject, Response } from '../../core/model';
import type { Preview } from '../probe/model';
import { preview } from '../probe/probe';

/** The options of detection; all are optional. */
export interface DiscoverOptions extends AskOptions {
  /** The name of the table; default: the last word of the address. */
  readonly dataType?: string;
  /** The place of the items, if it is known; default: it is searched. */
  readonly dataField?: string;
  /** True if the objects in an object are items, each under its key; default: if they look alike. */
  readonly keyed?: boolean;
  /** A query parameter by which the API returns only newer items, if it is known: from an OpenAPI document. */
  readonly sinceParam?: string;
  /** Jobs for each item. */
  readonly children?: readonly JsonObject[];
  /** True if parameters are tried that no response suggests; default true. */
  readonly guess?: boolean;
}

/** A finding of detection. */
export interface DiscoveryFinding extends Detected<string> {
  readonly about: 'data' | 'paging' | 'credentials' | 'key' | 'incremental' | 'format';
}

/** The result of detection. */
export interface Discovery {
  /** A configuration without secrets, which refers to the environment. */
  readonly configuration: JsonObject;
  /** The comments that explain it, by the keys of the configuration. */
  readonly comments: Comments;
  /** The same configuration with the given secrets, for an immediate run. It must not be written. */
  readonly runnable: JsonObject;
  readonly findings: readonly DiscoveryFinding[];
  /** Items of the pages that were seen. */
  readonly items: readonly Json[];
  /** An object whose members may be items, by its path, and whether they are taken as such. */
  readonly keyed?: { readonly place: string; readonly isTaken: boolean };
  /** The name of the table. */
  readonly dataType: string;
  /** How many requests were sent. */
  readonly requests: number;
  /** Returns a preview of the configuration from the responses so far: nothing is sent. Absent if there are none. */
  readonly preview?: () => Promise<Preview>;
}

/**
 * Requests a page of an API and finds out where its items are, how it is paged, and which field identifies items. It sends a bounded number
 * of requests, one at a time, and stops if the API asks for fewer. Uncertain findings are marked.
 *
 * @param request a request that returns data, with its credentials
 * @throws FatalError if there are no data: `API_STATUS`, `API_NOT_JSON`, `ORIGIN_REFUSED`, …
 * @example
 * const { configuration, findings } = await discover({ method: 'GET', url: 'https://api.example/ships', headers: {} });
 */
export async function discover(request: WrittenRequest, options: DiscoverOptions = {}): Promise<Discovery> {
  return discoverSubject(subjectOf(request), options);
}

/** Works like `discover`, for a request whose secrets are already taken out. */
export async function discoverSubject(subject: Subject, options: DiscoverOptions): Promise<Discovery> {
  const asker = askerOf(subject, options);
  try {
    return await discoverBy(asker, subject, options);
  } finally {
    await asker.close();
  }
}

async function discoverBy(asker: Asker, subject: Subject, options: DiscoverOptions): Promise<Discovery> {
  const response = await asker.ask();
  refuseFailure(response, subject);
  const { data: body, format, read } = await understood(response, asker);
  const answer = answerOf(subject, response, body);
  const placed = placeIn(answer, options);
  const place = placed.value;
  refuseError({ response, data: body }, place.keys, subject);
  const seen = seenIn(answer, place, read);
  const { dataType = nameOfJob(subject.url), children = [] } = options;
  const { dataField, rows } = place;
  const parts = { dataField, rows, format, dataType, children };
  const key = primaryKeyOf(place.items);
  const isSingleKey = key?.value.length === 1 ? key.value[0] : undefined;
  const search: PagingSearch = {
    seen,
    asker,
    parts,
    key: isSingleKey,
    guessed: !(options.guess ?? true) ? 'none' : subject.method === 'GET' ? 'all' : 'given',
  };
  const paging = isRead(subject, namesMore(seen)) ? await findPaging(search) : notAsked(place);
  // Among more items, some may share the field that identified the first ones.
  const finalKey = primaryKeyOf(paging.items);
  const growing = growingFieldOf(paging.items);
  const whole = {
    ...parts,
    subject,
    pagination: paging.value,
    hasNoTotal: paging.hasNoTotal === true,
    primaryKey: isCertainKey(finalKey) ? finalKey.value : undefined,
  };
  const found: readonly DiscoveryFinding[] = [
    ...(format === undefined ? [] : [formatFinding(format)]),
    { about: 'data', ...placed, value: dataField ?? 'the response itself' },
    { about: 'paging', confidence: paging.confidence, reason: paging.reason, value: pagingName(paging.value) },
    ...credentialFinding(subject),
    ...(finalKey === undefined ? [] : [{ about: 'key' as const, ...finalKey, value: finalKey.value.join(', ') }]),
    ...(growing === undefined ? [] : [{ about: 'incremental' as const, ...growing }]),
  ];
  return {
    ...discoveryOf(whole, found, { ...defined({ sinceParam: options.sinceParam }), items: paging.items }),
    // A recording has no login, and needs no credentials.
    preview: () =>
      preview(configurationOf({ ...whole, subject: withoutLogin(subject) }, true), {
        fetch: recordedFetch(asker.received()),
      }),
    ...defined({ keyed: keyedIn(place) }),
    requests: asker.requests(),
  };
}

function keyedIn({ kind, dataField = '.', mayBe }: DataPlace): Discovery['keyed'] {
  if (kind === 'map') return { place: dataField, isTaken: true };
  return mayBe === undefined ? undefined : { place: mayBe.dataField ?? '.', isTaken: false };
}

/** Returns what was found as a configuration with comments, and in sentences that may be shown. */
export function discoveryOf(
  parts: Parts & { readonly dataType: string },
  found: readonly DiscoveryFinding[],
  { items, sinceParam }: { readonly items: readonly Json[]; readonly sinceParam?: string },
): Discovery {
  const { dataType, primaryKey } = parts;
  const findings = found.map((each) => ({ ...each, value: printable(each.value), reason: printable(each.reason) }));
  return {
    ...{ findings, items, dataType, requests: 0 },
    configuration: configurationOf(parts),
    runnable: configurationOf(parts, true),
    comments: commentsOf(findings, { ...defined({ sinceParam }), dataType, hasKey: primaryKey !== undefined }),
  };
}

const withoutLogin = (subject: Subject): Subject => ({
  ...subject,
  credentials: subject.credentials.filter(({ kind }) => kind !== 'client'),
});

export const pagingName = (value: JsonObject | undefined): string =>
  typeof value?.['method'] === 'string' ? value['method'] : 'none';

export function credentialFinding({ credentials }: Subject): readonly DiscoveryFinding[] {
  const reason = describeCredentials(credentials);
  return reason === undefined
    ? []
    : [{ about: 'credentials', value: credentials.map(({ kind }) => kind).join(', '), confidence: 'sure', reason }];
}

const formatFinding = (format: string): DiscoveryFinding => ({
  ...{ about: 'format', value: format, confidence: 'likely', reason: `The body reads as ${format}.` },
});

const notAsked = ({ items }: DataPlace): FoundPaging => ({
  value: undefined,
  confidence: 'unsure',
  reason: 'Paging was not looked for, since this request may change something at the API and was sent once.',
  claim: undefined,
  items,
});

const answerOf = (
  { url, body: requestBody, isForm }: Subject,
  { status, headers }: Response,
  data: Json | undefined,
): Answer => ({
  ...{ url, status, headers, data },
  ...defined({ requestBody, isForm }),
});

function placeIn(answer: Answer, { dataField: wanted, keyed }: DiscoverOptions): Detected<DataPlace> {
  const found = findData(answer.data, answer.url, keyed);
  if (wanted === undefined || found.value.dataField === wanted) return found;
  const several = valuesAt(answer.data ?? null, wanted, '.');
  const value: DataPlace =
    several === undefined
      ? {
          ...findData(valueAt(answer.data, wanted), answer.url, keyed).value,
          keys: wanted.split('.'),
          dataField: wanted,
        }
      : { kind: 'list', keys: namesTo(answer.data ?? null, wanted, '.'), dataField: wanted, items: several };
  return { value, confidence: 'sure', reason: 'It was given.' };
}
