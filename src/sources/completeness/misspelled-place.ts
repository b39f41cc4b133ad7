import type { TotalPlace } from '../../language/configuration/jobs/completeness';
import type { Doubt } from '../../core/evidence';
import { isBlankData } from '../../core/json/scalars';
import { isObject, keysOf, ownValue } from '../../core/json/objects';
import type { Json, Reply } from '../../core/model';
import type { JobRun } from '../job-run';
import { aroundItems } from '../reply-value';
import { placeText } from './metadata';
import type { PageOutcome } from './known';

const FAILURE = 400;

/** A place of a response that the pagination of a job reads. */
interface ReadPlace {
  /** The option that names the place. */
  readonly option: string;
  /** The keys that lead to the value, or the name of a header. */
  readonly at: readonly string[] | { readonly header: string };
  /** Returns whether a value at the place would continue the pagination. */
  readonly goesOn: (value: Json) => boolean;
}

/**
 * Returns the doubt about a call that ended with its first page because the response has nothing at a place that the pagination reads, but
 * has a value at a place whose name differs only in case, `_`, `-` and blanks (docs/completeness.md#what-is-an-error).
 */
export function misspelledPlace(running: JobRun, taken: PageOutcome): Doubt | undefined {
  const { reply, pages, next, verdict, found } = taken;
  if (pages > 0 || reply.response.status >= FAILURE) return undefined;
  if (verdict.kind === 'stop' ? verdict.why !== 'unsure' : next.kind !== 'stop') return undefined;
  const places = [
    ...(next.kind === 'stop' ? placesOfMethod(running.plan.pagination.options) : []),
    ...placesOfStops(running),
  ];
  for (const { option, at, goesOn } of places) {
    const near = 'header' in at ? nearHeader(reply, at.header) : nearMember(aroundItems(reply), at);
    if (near === undefined || !goesOn(near.value)) continue;
    const written = 'header' in at ? JSON.stringify(at.header) : placeText(at);
    return {
      code: 'NEXT_PAGE_NOT_TAKEN',
      level: 'error',
      message:
        `Only the first page of ${running.plan.endpoint} was read, ${found.count} items: it has nothing at ${written}, where ` +
        `api.pagination.${option} expects what leads to the next one, but a value at ${near.where}. Write the name as the API does.`,
    };
  }
  return undefined;
}

const isThere = (value: Json): boolean => !isBlankData(value);

/** Returns whether a response has a value, even `null`, where a pagination method reads what leads to the next page. */
export const hasReadPlace = (options: object, reply: Reply): boolean =>
  placesOfMethod(options).some(({ at }) =>
    'header' in at
      ? reply.response.headers[at.header.toLowerCase()] !== undefined
      : valueAt(aroundItems(reply), at) !== undefined,
  );

const valueAt = (data: Json | undefined, keys: readonly string[]): Json | undefined =>
  keys.reduce<Json | undefined>((value, key) => (isObject(value) ? ownValue(value, key) : undefined), data);

function placesOfMethod(options: object): readonly ReadPlace[] {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const { responseParam, responseHeader, urlKey, urlHeader, delimiter = '.' } = given;
  const places: ReadPlace[] = [];
  if (typeof responseParam === 'string')
    places.push({ option: 'responseParam', at: responseParam.split('.'), goesOn: isThere });
  if (typeof urlKey === 'string' && urlHeader === undefined && typeof delimiter === 'string')
    places.push({ option: 'urlKey', at: urlKey.split(delimiter), goesOn: isThere });
  for (const [option, header] of Object.entries({ responseHeader, urlHeader }))
    if (typeof header === 'string') places.push({ option, at: { header }, goesOn: isThere });
  return places;
}

/** Returns the places that the stops read: where a page lacks them, a stop may end the pagination. */
const placesOfStops = ({ plan: { stops } }: JobRun): readonly ReadPlace[] =>
  stops.flatMap(({ nextPageFlag: flag, limitStop }): readonly ReadPlace[] => [
    ...(flag === undefined || flag.ifNotSet !== flag.stopOn
      ? []
      : [
          {
            option: flag.path === undefined ? 'nextPageFlag.field' : 'nextPageFlag.path',
            at: flag.path === undefined ? [flag.field ?? ''] : flag.path.split('.'),
            goesOn: (value: Json) => value !== null && !isBlankData(value) !== flag.stopOn,
          },
        ]),
    ...(limitStop === undefined || 'count' in limitStop ? [] : [ofLimit(limitStop)]),
  ]);

const ofLimit = (place: TotalPlace): ReadPlace =>
  'path' in place
    ? { option: 'limitStop.field', at: place.path.split('.'), goesOn: isThere }
    : { option: 'limitStop.header', at: { header: place.header }, goesOn: isThere };

/** A value at a place with a similar name. */
interface Near {
  readonly where: string;
  readonly value: Json;
}

/** Returns a name without case and punctuation, for comparison. */
const loose = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, '');

/** Returns the value behind keys of which at least one is only similar to a key in the data; `undefined` where all keys match exactly. */
function nearMember(data: Json | undefined, keys: readonly string[]): Near | undefined {
  const there: string[] = [];
  let value = data;
  for (const key of keys) {
    if (!isObject(value)) return undefined;
    const holder = value;
    const own = ownValue(holder, key) === undefined ? keysOf(holder).find((name) => loose(name) === loose(key)) : key;
    if (own === undefined) return undefined;
    there.push(own);
    value = ownValue(holder, own);
  }
  if (value === undefined || there.every((key, at) => key === keys[at])) return undefined;
  return { where: `${placeText(there)} in the body`, value };
}

function nearHeader({ response: { headers } }: Reply, header: string): Near | undefined {
  if (headers[header.toLowerCase()] !== undefined) return undefined;
  const name = Object.keys(headers).find((each) => loose(each) === loose(header));
  const [value] = [name === undefined ? [] : (headers[name] ?? [])].flat();
  return value === undefined ? undefined : { where: `a header ${name}`, value };
}
