/** Paginators of Airbyte as methods of pagination: those of the language where they send the same requests, else `jinja`. */
import { entriesOf, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { JinjaSyntaxError } from '../../../language/jinja/expressions';
import type { Expr } from '../../../language/jinja/expressions';
import { parseJinja } from '../../../language/jinja/templates';
import { textAt, together } from './manifest';
import type { Component } from './manifest';
import { componentAt, placeOf, put, typeOf } from './draft';
import type { Draft } from './draft';
import { Untranslatable } from './values';
import type { Values } from './values';

/** What is known of the job whose pages these are. */
export interface Paged {
  readonly requester: Component;
  readonly draft: Draft;
  readonly values: Values;
  /** True if the body of a response is an object: templates take the first element of an array for it. */
  readonly hasObject: boolean;
}

/** A place of pagination, as the language writes it. */
type Place = string | readonly string[] | JsonObject;

/** The parts of a method that a token is sent by: its place, none for an address, or that it is not sent. */
type Sent = { readonly param?: Place } | { readonly sendNext: false };

/**
 * Returns the pagination of a job, and puts a page size into it that is not part of the pagination; `undefined` if there is one page.
 *
 * @throws Untranslatable
 */
export function paginationOf(paginator: Component | undefined, job: Paged): JsonObject | undefined {
  const ofPage = parametersOfPage(job);
  const hasOfPage = Object.keys(ofPage).length > 0;
  if (paginator === undefined || typeOf(paginator, 'NoPagination') === 'NoPagination')
    return hasOfPage ? together({ method: 'jinja', next: '', param: 'page' }, ofPage) : undefined;
  const strategy = ownValue(paginator, 'pagination_strategy');
  if (!isObject(strategy)) throw new Untranslatable('a paginator without a strategy');
  const type = textAt(strategy, 'type');
  const size = sizeOf(strategy, job.values);
  if (type === 'PageIncrement' || type === 'OffsetIncrement') {
    const counted = hasOfPage || !hasPlace(paginator) ? undefined : countedBy(type, paginator, strategy, size, job);
    return counted ?? together(countedByTemplate(type, paginator, strategy, size, job), ofPage);
  }
  if (type !== 'CursorPagination') throw new Untranslatable(type);
  putSize(paginator, size, job);
  const stop = ownValue(strategy, 'stop_condition');
  if (stop === true) return undefined;
  const next = textAt(strategy, 'cursor_value');
  const end = typeof stop === 'string' ? stop : undefined;
  const followed = hasOfPage || !hasPlace(paginator) ? undefined : followedBy(next, end, placeIn(paginator, job), job);
  if (followed !== undefined) return followed;
  const names = job.values.known(strategy, next, ...(end === undefined ? [] : [end]));
  const given = together(
    names,
    size === undefined || !`${next}${end ?? ''}`.includes('page_size') ? {} : { page_size: size },
  );
  return together(
    { method: 'jinja', next },
    end === undefined ? {} : { stop: end },
    sentBy(paginator, job),
    Object.keys(given).length === 0 ? {} : { with: given },
    ofPage,
  );
}

function sizeOf(strategy: Component, values: Values): number | undefined {
  const written = ownValue(strategy, 'page_size');
  if (written === undefined || written === null) return undefined;
  const size = Number(values.constant(written, strategy, ''));
  if (!Number.isInteger(size)) throw new Untranslatable('a page size that is no number');
  return size;
}

/** Puts a page size into a job, if the paginator says where. */
function putSize(paginator: Component, size: number | undefined, { draft, values }: Paged): void {
  const option = componentAt(paginator, 'page_size_option');
  if (option !== undefined && size !== undefined) put(draft, option, values, size);
}

/** What a paginator that counts begins with, and whether its first request has it. */
function beginningOf(
  type: string,
  strategy: Component,
  values: Values,
): { readonly start: number; readonly isInFirst: boolean } {
  const of = (name: string, byDefault: Json): Json => values.constant(ownValue(strategy, name), strategy, byDefault);
  return {
    start: type === 'PageIncrement' ? Number(of('start_from_page', 0)) : 0,
    isInFirst: of('inject_on_first_request', false) === true,
  };
}

/** Returns the methods `pagenum` and `offset`; `undefined` where the language counts otherwise. */
function countedBy(
  type: string,
  paginator: Component,
  strategy: Component,
  size: number | undefined,
  job: Paged,
): JsonObject | undefined {
  const { start, isInFirst } = beginningOf(type, strategy, job.values);
  const option = componentAt(paginator, 'page_size_option');
  const isSent = option !== undefined && size !== undefined;
  const isOffset = type === 'OffsetIncrement';
  if (!Number.isInteger(start) || (size === undefined ? isOffset : size < 1)) return undefined;
  const limitParam = isSent ? placeAt(option, job) : undefined;
  const param = placeIn(paginator, job);
  const places = [param, limitParam].filter((each) => each !== undefined);
  // A parameter of the job at one of these places means something else to each side.
  if (
    param === undefined ||
    places.some((place) => place === '' || (typeof place === 'string' && Object.hasOwn(job.draft.params, place)))
  )
    return undefined;
  return together(
    isOffset ? { method: 'offset', offsetParam: param } : { method: 'pagenum', pageParam: param },
    isOffset || start === 1 ? {} : { firstPage: start },
    size === undefined ? {} : { limit: size },
    limitParam !== undefined ? { limitParam } : size === undefined ? {} : { sendLimit: false },
    isInFirst ? {} : { firstPageParams: isSent ? 'limit' : false },
    isOffset ? { advance: 'items' } : {},
  );
}

/** Does the same as {@link countedBy}, by templates. */
function countedByTemplate(
  type: string,
  paginator: Component,
  strategy: Component,
  size: number | undefined,
  job: Paged,
): JsonObject {
  const { start, isInFirst } = beginningOf(type, strategy, job.values);
  putSize(paginator, size, job);
  const by = type === 'PageIncrement' ? '1' : 'last_page_size';
  const next = `{{ (token if token is not none else ${start}) + ${by} }}`;
  const stop = `{{ last_page_size == 0 or last_page_size < ${size ?? 0} }}`;
  return together(
    { method: 'jinja', next, stop, zeroEnds: false },
    isInFirst ? { first: start } : {},
    sentBy(paginator, job),
  );
}

/** Returns whether a paginator says where the token is sent; else only templates of parameters read it. */
const hasPlace = (paginator: Component): boolean => componentAt(paginator, 'page_token_option') !== undefined;

function sentBy(paginator: Component, job: Paged): Sent {
  if (!hasPlace(paginator)) return { sendNext: false };
  const param = placeIn(paginator, job);
  return param === undefined ? {} : { param };
}

/** Returns the place of the token; `undefined` if the token is the address of the next page. */
function placeIn(paginator: Component, job: Paged): Place | undefined {
  const option = componentAt(paginator, 'page_token_option');
  return option === undefined || ownValue(option, 'type') === 'RequestPath' ? undefined : placeAt(option, job);
}

/** Returns the place that an option of a request names. */
function placeAt(option: Component, { draft, values }: Paged): Place {
  const { into, keys } = placeOf(option, values);
  const [key = ''] = keys;
  if (into === 'header') return { header: key, template: '{value}' };
  if (into === 'body_json') {
    draft.body ??= {};
    return [...keys];
  }
  if (into === 'body_data') {
    draft.form ??= {};
    return [...keys];
  }
  if (into === 'request_parameter' && draft.body !== undefined && keys.length > 1)
    throw new Untranslatable('a nested parameter beside a body');
  return keys.length === 1 ? key : [...keys];
}

/**
 * Returns the method that follows a value of the response, if the templates name one, and its end in a way that the language has;
 * `undefined` for other templates.
 */
function followedBy(
  next: string,
  end: string | undefined,
  place: Place | undefined,
  job: Paged,
): JsonObject | undefined {
  const value = pathIn(expressionIn(next));
  const stops = value === undefined || end === undefined ? {} : stopsOf(expressionIn(end), value, job);
  if (value === undefined || stops === undefined) return undefined;
  const [root, ...keys] = value;
  const path = keys.join('.');
  const [header = ''] = keys;
  if (root === 'headers') {
    const isLink = place === undefined && header === 'link' && keys.length === 3 && keys[2] === 'url';
    const rel = keys[1] ?? '';
    if (isLink) return together({ method: 'response.link' }, rel === 'next' ? {} : { rel }, BESIDE, stops);
    return keys.length !== 1 || header === 'link'
      ? undefined
      : together(followedAt(place, { urlHeader: header }, { responseHeader: header }), stops);
  }
  const isIn = root === 'response' && job.hasObject && keys.length > 0;
  return isIn ? together(followedAt(place, { urlKey: path }, { responseParam: path }), stops) : undefined;
}

const BESIDE = { includeParams: 'beside' } as const;

/** Returns the method for an address, or for a token that has a place. */
const followedAt = (place: Place | undefined, address: JsonObject, token: JsonObject): JsonObject =>
  place === undefined
    ? together({ method: 'response.url' }, address, { relativeTo: 'base' }, BESIDE)
    : together({ method: 'response.param' }, token, { queryParam: place, includeParams: true });

/** Returns the expression that a template consists of. */
function expressionIn(template: string): Expr | undefined {
  try {
    const [block, ...others] = parseJinja(template);
    return block?.kind === 'output' && others.length === 0 ? block.value : undefined;
  } catch (error) {
    if (error instanceof JinjaSyntaxError) return undefined;
    throw error;
  }
}

/** Methods of Python's dictionaries: where a key with such a name is missing, a template has the method. */
const METHODS: ReadonlySet<string> = new Set([
  ...['clear', 'copy', 'fromkeys', 'get', 'items', 'keys', 'pop', 'popitem', 'setdefault', 'update', 'values'],
]);

/** Returns whether a value counts as false, so that a member of it is missing as well. */
const isEmpty = (expr: Expr | undefined): boolean =>
  expr === undefined ||
  (expr.kind === 'constant' &&
    (expr.value === null || expr.value === '' || expr.value === false || expr.value === 0)) ||
  ((expr.kind === 'list' || expr.kind === 'tuple') && expr.elements.length === 0) ||
  (expr.kind === 'dict' && expr.entries.length === 0);

/** Returns the name and the keys that an expression reads a value by; `undefined` for any other expression. */
function pathIn(expr: Expr | undefined): readonly string[] | undefined {
  const below = (of: Expr, key: Json | undefined): readonly string[] | undefined => {
    const above = pathIn(of);
    const isKey = typeof key === 'string' && /^[A-Za-z_$@][\w$@-]*$/.test(key) && !METHODS.has(key);
    return above === undefined || !isKey ? undefined : [...above, key];
  };
  const textOf = (key: Expr | undefined): string | undefined =>
    key?.kind === 'constant' && typeof key.value === 'string' ? key.value : undefined;
  switch (expr?.kind) {
    case 'name':
      return [expr.name];
    case 'attribute':
      return below(expr.of, expr.name);
    case 'item':
      return below(expr.of, textOf(expr.key));
    case 'call': {
      const { of, args, named } = expr;
      const isGet = of.kind === 'attribute' && of.name === 'get' && named.length === 0 && args.length <= 2;
      return isGet && isEmpty(args[1]) ? below(of.of, textOf(args[0])) : undefined;
    }
    case 'either':
      return isEmpty(expr.right) ? pathIn(expr.left) : undefined;
    default:
      return undefined;
  }
}

const begins = (path: readonly string[], start: readonly string[] | undefined): boolean =>
  start !== undefined && start.length > 1 && start.every((key, at) => path[at] === key);

/** Returns whether a condition holds only where a value is missing or false: pagination ends there anyway. */
function isImplied(condition: Expr | undefined, value: readonly string[]): boolean {
  const isAbove = (expr: Expr): boolean => begins(value, pathIn(expr));
  switch (condition?.kind) {
    case 'either':
      return isImplied(condition.left, value) && isImplied(condition.right, value);
    case 'both':
      return isImplied(condition.left, value) || isImplied(condition.right, value);
    case 'not': {
      const { of } = condition;
      return isAbove(of) || (of.kind === 'test' && of.name === 'defined' && isAbove(of.of));
    }
    case 'test':
      return ['none', 'undefined', 'false'].includes(condition.name) && isAbove(condition.of);
    case 'comparison': {
      const { first, others } = condition;
      const [[operator, other] = []] = others;
      if (operator === undefined || other === undefined || others.length > 1) return false;
      if (operator === '==') return isEmpty(other) && isAbove(first);
      const above = pathIn(other);
      return (
        operator === 'not in' &&
        above !== undefined &&
        first.kind === 'constant' &&
        typeof first.value === 'string' &&
        begins(value, [...above, first.value])
      );
    }
    default:
      return false;
  }
}

/** Returns a condition as stops of the language, `{}` if it adds nothing to the value; `undefined` if there is none for it. */
function stopsOf(condition: Expr | undefined, value: readonly string[], { hasObject }: Paged): JsonObject | undefined {
  if (isImplied(condition, value)) return {};
  if (condition?.kind === 'not') {
    const [root, ...keys] = pathIn(condition.of) ?? [];
    const [field = ''] = keys;
    if (root !== 'response' || !hasObject || keys.length === 0) return undefined;
    return { nextPageFlag: together(keys.length === 1 ? { field } : { path: keys.join('.') }, { stopOn: false }) };
  }
  if (condition?.kind !== 'comparison' || condition.others.length > 1) return undefined;
  const [[operator, other] = []] = condition.others;
  const isSize = condition.first.kind === 'name' && condition.first.name === 'last_page_size';
  const isNothing = other?.kind === 'constant' && other.value === 0;
  return isSize && operator === '==' && isNothing ? { stopWhenEmpty: true } : undefined;
}

/** Returns the parameters of a requester that depend on the page, and the values that they read. */
function parametersOfPage({ requester, values }: Paged): JsonObject {
  const written = ownValue(requester, 'request_parameters');
  const ofPage = isObject(written) ? entriesOf(written).filter(([, value]) => values.isOfPage(value)) : [];
  if (ofPage.length === 0) return {};
  const params = objectFrom(ofPage.map(([key, value]) => [values.text(key, requester), value] as const));
  const names = values.known(requester, ...ofPage.flatMap(([, value]) => (typeof value === 'string' ? [value] : [])));
  return { params, ...(Object.keys(names).length === 0 ? {} : { with: names }) };
}
