/** The result of an importer: requests for lists, before any of them is sent. */
import { FatalError } from '../../core/errors/errors';
import type { Described } from '../detect/model';
import type { RecordedAnswer } from '../detect/recorded-fetch';
import type { Credential, WrittenRequest } from '../detect/subject';

/** The lists of a curl command line, an OpenAPI document, or a HAR. */
export interface Imported {
  readonly kind: 'curl' | 'openapi' | 'har';
  /** The title of the source. */
  readonly title: string;
  /** Absolute, with a `/` at its end; absent: it is in the addresses of the requests. */
  readonly baseUrl?: string;
  /** Requests that return lists, parents before their children. */
  readonly beginnings: readonly Beginning[];
  /** Sentences about what was left out. */
  readonly warnings: readonly string[];
}

/** A request that returns a list, from which a job can be made. */
export interface Beginning {
  /** Its id for users: the path, with placeholders in braces. */
  readonly id: string;
  /** Another name for it: the `operationId` of OpenAPI. */
  readonly alias?: string;
  /** The name of the table. */
  readonly name: string;
  /** A short description from the source. */
  readonly summary?: string;
  /** The request, with its secrets; placeholders are in its address in braces. */
  readonly request: WrittenRequest;
  /** The placeholders of the path and the query parameters without a value that the API needs, except those from items of the parent. */
  readonly missing: readonly string[];
  /** The `id` of the parent request. */
  readonly parent?: string;
  /** The field of the parent item for each placeholder of this request. */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** The description of the request and its response in the source. */
  readonly described?: Described;
  /** The responses in the source; then no requests are needed. */
  readonly recorded?: readonly RecordedAnswer[];
}

/** The lists of an import that the user chooses, with values for their requests. */
export interface ImportChoice {
  /** The `id`, `alias` or `name` of lists; default: all that need no missing value. Their parents are included. */
  readonly jobs?: readonly string[];
  /** Values for placeholders of paths and for query parameters, by name: those in `missing`. */
  readonly values?: Readonly<Record<string, string>>;
}

/** The chosen lists, parents before their children, and those that need a missing value. */
export interface Chosen {
  readonly taken: readonly Beginning[];
  readonly left: readonly Beginning[];
}

const SHOWN = 40;

/**
 * Chooses lists.
 *
 * @throws FatalError CONFIG_INVALID for an unknown name, for a chosen list that needs a missing value, or if nothing is left
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
    if (needy !== undefined) throw refused(describeMissing(needy));
    return { taken: filled.filter((each) => named.has(each)), left: [] };
  }
  const [taken, left] = [filled.filter((each) => !needs(each)), filled.filter(needs)];
  if (taken.length === 0)
    throw refused(`All lists need something: ${left.slice(0, SHOWN).map(describeMissing).join(' ')}`);
  return { taken, left };
}

/** Returns a sentence about the missing values of a list. */
export const describeMissing = ({ id, missing, parent }: Beginning): string =>
  missing.length === 0
    ? `${id} needs the list ${parent ?? ''}.`
    : `${id} needs ${missing.map((name) => `a value for "${name}"`).join(' and ')}.`;

/** Returns the lists of a name. A table name may belong to several lists; a path and an operation to one. */
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

/** Returns an address with values in place of its placeholders, before it is requested. */
export const filled = (url: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{${name}}`, () => encodeURIComponent(value)),
    url,
  );

/** Returns lists with unique names of tables: a repeated name gets the name of the parent before it. */
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

/** Returns a beginning with the given headers; given credentials replace those that the import asks for. */
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
