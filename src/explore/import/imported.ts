/** What an importer gives: requests for lists, before any of them is sent. */
import { FatalError } from '../../core/errors/errors';
import type { Described } from '../detect/model';
import type { RecordedAnswer } from '../detect/recorded-fetch';
import type { Credential, WrittenRequest } from '../detect/subject';

/** What was read from a command line of curl, from an OpenAPI document, or from a HAR. */
export interface Imported {
  readonly kind: 'curl' | 'openapi' | 'har';
  /** What the source calls itself. */
  readonly title: string;
  /** Absolute, with a `/` at its end; absent: the addresses of the requests say it. */
  readonly baseUrl?: string;
  /** Requests that give lists, parents before their children. */
  readonly beginnings: readonly Beginning[];
  /** What was not taken over, in sentences. */
  readonly warnings: readonly string[];
}

/** A request that gives a list: what a job can begin with. */
export interface Beginning {
  /** What people choose it by: the path, with placeholders in braces. */
  readonly id: string;
  /** Another name for it: the `operationId` of OpenAPI. */
  readonly alias?: string;
  /** The name of the table. */
  readonly name: string;
  /** A few words of the source on it. */
  readonly summary?: string;
  /** The request, with its secrets; placeholders stand in its address in braces. */
  readonly request: WrittenRequest;
  /** The placeholders of the path and the parameters of the query that have no value, and that the API needs; not what items of the parent give. */
  readonly missing: readonly string[];
  /** The `id` of the request whose items this one is called for. */
  readonly parent?: string;
  /** By placeholder of this request's own: the field of the item of the parent that it may stand for. */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** What the source says of the request and its response. */
  readonly described?: Described;
  /** Responses that the source has; then nothing needs to be requested. */
  readonly recorded?: readonly RecordedAnswer[];
}

/** Which lists of an import are taken, and what values that people give put into their requests. */

/** What a person chooses. */
export interface ImportChoice {
  /** The `id`, `alias` or `name` of lists; default: all that need nothing that nobody gave. Their parents are taken, too. */
  readonly jobs?: readonly string[];
  /** Values for placeholders of paths and for parameters of queries, by name: what `missing` names. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Lists that are taken, parents before their children, and those that need something that nobody gave. */
export interface Chosen {
  readonly taken: readonly Beginning[];
  readonly left: readonly Beginning[];
}

const SHOWN = 40;

/**
 * Chooses lists.
 *
 * @throws FatalError CONFIG_INVALID where a name is not known, where a list that was named needs a value, or where nothing is left
 * @example chosenOf(imported, { jobs: ['/users'] }).taken.map(({ id }) => id) // ['/users']
 */
export function chosenOf({ beginnings }: Imported, { jobs = [], values = {} }: ImportChoice = {}): Chosen {
  const filled = beginnings.map((each) => withValues(each, values));
  const byId = new Map(filled.map((each) => [each.id, each]));
  const above = ({ parent }: Beginning): readonly Beginning[] => {
    const found = parent === undefined ? undefined : byId.get(parent);
    return found === undefined ? [] : [...above(found), found];
  };
  const needs = (each: Beginning): boolean => [each, ...above(each)].some(({ missing }) => missing.length > 0);
  if (jobs.length > 0) {
    const named = new Set(jobs.flatMap((job) => found(job, filled)).flatMap((each) => [...above(each), each]));
    const needy = [...named].find(({ missing }) => missing.length > 0);
    if (needy !== undefined) throw refused(toldMissing(needy));
    return { taken: filled.filter((each) => named.has(each)), left: [] };
  }
  const [taken, left] = [filled.filter((each) => !needs(each)), filled.filter(needs)];
  if (taken.length === 0) throw refused(`All lists need something: ${left.slice(0, SHOWN).map(toldMissing).join(' ')}`);
  return { taken, left };
}

/** What a list needs, in a sentence. */
export const toldMissing = ({ id, missing, parent }: Beginning): string =>
  missing.length === 0
    ? `${id} needs the list ${parent ?? ''}.`
    : `${id} needs ${missing.map((name) => `a value for "${name}"`).join(' and ')}.`;

/** A table name may stand for several lists; a path and an operation for one. */
function found(job: string, all: readonly Beginning[]): readonly Beginning[] {
  const exact = all.filter(({ id, alias }) => id === job || alias === job);
  const those = exact.length > 0 ? exact : all.filter(({ name }) => name === job);
  if (those.length > 0) return those;
  const known = all.slice(0, SHOWN).map(({ id, alias }) => (alias === undefined ? id : `${id} (${alias})`));
  const rest = all.length > SHOWN ? `, and ${all.length - SHOWN} more` : '';
  throw refused(`There is no list "${job}". The lists are: ${known.join(', ')}${rest}.`);
}

function withValues(beginning: Beginning, values: Readonly<Record<string, string>>): Beginning {
  const given = beginning.missing.filter((name) => Object.hasOwn(values, name));
  const url = given.reduce((text, name) => {
    const value = encodeURIComponent(values[name] ?? '');
    if (text.includes(`{${name}}`)) return text.replaceAll(`{${name}}`, () => value);
    return `${text}${text.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${value}`;
  }, beginning.request.url);
  return {
    ...beginning,
    request: { ...beginning.request, url },
    missing: beginning.missing.filter((name) => !given.includes(name)),
  };
}

const refused = (why: string): FatalError => new FatalError('CONFIG_INVALID', why);

/** The beginnings of an import, made ready to be asked. */

/** An address with values in place of its placeholders. */
export const filled = (url: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{${name}}`, () => encodeURIComponent(value)),
    url,
  );

/** Tables have names that differ: a list that is called as another has the name of its parent before it. */
export function withNames(beginnings: readonly Beginning[]): readonly Beginning[] {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  return beginnings.map((each) => {
    const above = each.parent === undefined ? undefined : names.get(each.parent);
    const wanted = taken.has(each.name) && above !== undefined ? `${above}_${each.name}` : each.name;
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
    taken.add(name);
    names.set(each.id, name);
    return { ...each, name };
  });
}

/** A credential that was given stands for the one that the import asks for in its place. */
export function withHeaders(beginning: Beginning, headers: Readonly<Record<string, string>> = {}): Beginning {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const isOpen = (each: Credential): boolean =>
    each.kind === 'header'
      ? !Object.hasOwn(given, each.name)
      : each.kind === 'query' || !Object.hasOwn(given, 'authorization');
  const { request } = beginning;
  const credentials = request.credentials?.filter(isOpen);
  return {
    ...beginning,
    request: {
      ...request,
      headers: { ...request.headers, ...given },
      ...(credentials === undefined ? {} : { credentials }),
    },
  };
}
