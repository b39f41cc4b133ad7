/** Puts translated streams together as one configuration: what all jobs share is written once. */
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { parseUrl } from '../../../core/url/address';
import { textAt } from './manifest';
import type { Translated } from './translate';

/** Returns the configuration for streams. */
export function configurationOf(streams: readonly Translated[]): JsonObject {
  const [first] = streams;
  const baseUrl = first?.baseUrl ?? '';
  const scrollers = scrollersOf(streams);
  const jobs = streams.flatMap((each) => each.jobs);
  const shared = sharedCredentials(streams, baseUrl);
  const login = streams.find((each) => each.login !== undefined)?.login;
  const authentication = login ?? shared?.authentication;
  const only =
    new Set(scrollers.values()).size === 1 && everyJob(jobs, (job) => ownValue(job, 'scroller') !== undefined);
  const written = (job: JsonObject): JsonObject => {
    const scroller = scrollers.get(textAt(job, 'scroller'));
    return objectFrom(
      entriesOf(job).flatMap(([key, value]): (readonly [string, Json])[] => {
        if (key === 'endpoint') return [[key, relative(value, baseUrl)]];
        if (key === 'children' && isList(value)) return [[key, value.filter(isObject).map(written)]];
        if (key === 'scroller') return only || scroller === undefined ? [] : [[key, scroller.name]];
        if (key !== shared?.in || !isObject(value)) return [[key, value]];
        const others = entriesOf(value).filter(([name]) => name !== shared.name);
        return others.length === 0 ? [] : [[key, objectFrom(others)]];
      }),
    );
  };
  return {
    api: {
      baseUrl,
      ...(authentication === undefined ? {} : { authentication }),
      ...(scrollers.size === 0 ? {} : { pagination: paginationWith(scrollers, only) }),
    },
    config: { completeness: 'off', jobs: jobs.map(written) },
  };
}

/** A way of paging with the name by which jobs choose it. */
interface Scroller {
  readonly name: string;
  readonly options: JsonObject;
}

/** Returns the ways of paging by the names that jobs have for them; equal ones are one. */
function scrollersOf(streams: readonly Translated[]): ReadonlyMap<string, Scroller> {
  const different = new Map<string, Scroller>();
  const named = streams.flatMap(({ scrollers }) =>
    entriesOf(scrollers).map(([job, options]): readonly [string, Scroller] => {
      const key = JSON.stringify(options);
      const known = different.get(key);
      if (known !== undefined || !isObject(options)) return [job, known ?? { name: job, options: {} }];
      const method = textAt(options, 'method');
      const same = [...different.values()].filter((each) => each.options['method'] === method).length;
      const made = { name: same === 0 ? method : `${method}-${same + 1}`, options };
      different.set(key, made);
      return [job, made];
    }),
  );
  return new Map(named);
}

function paginationWith(scrollers: ReadonlyMap<string, Scroller>, isOfAll: boolean): JsonObject {
  const all = [...new Set(scrollers.values())];
  const [first] = all;
  if (first !== undefined && isOfAll) return first.options;
  return { method: 'multiple', scrollers: objectFrom(all.map(({ name, options }) => [name, options] as const)) };
}

const everyJob = (jobs: readonly JsonObject[], holds: (job: JsonObject) => boolean): boolean =>
  jobs.every((job) => {
    const children = ownValue(job, 'children');
    return holds(job) && everyJob(isList(children) ? children.filter(isObject) : [], holds);
  });

/** Returns the credentials that all jobs have alike, if all go to the host of the base URL, which gets the credentials of a configuration. */
function sharedCredentials(streams: readonly Translated[], baseUrl: string): Translated['credentials'][number] {
  const all = streams.flatMap((each) => each.credentials);
  const [first] = all;
  const isShared =
    first !== undefined &&
    all.every((each) => JSON.stringify(each) === JSON.stringify(first)) &&
    streams.every(
      ({ jobs, login }) => login === undefined && everyJob(jobs, (job) => isAt(textAt(job, 'endpoint'), baseUrl)),
    );
  return isShared ? first : undefined;
}

const originOf = (url: string): string | undefined => parseUrl(url)?.origin;

const isAt = (endpoint: string, baseUrl: string): boolean => {
  const origin = originOf(endpoint.replace(/\{[^}]*\}/g, 'a'));
  return origin !== undefined && origin === originOf(baseUrl);
};

/** Returns an endpoint without the base URL, if it begins with it. */
function relative(endpoint: Json, baseUrl: string): Json {
  const base = `${baseUrl.replace(/\/+$/, '')}/`;
  if (typeof endpoint !== 'string' || !endpoint.startsWith(base) || /[?#{]/.test(base)) return endpoint;
  const rest = endpoint.slice(base.length);
  return rest === '' || /^[/?]|^[^/?]*:/.test(rest) ? endpoint : rest;
}
