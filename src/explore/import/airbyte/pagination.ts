/** Paginators of Airbyte as methods of pagination: those of the language where they send the same requests, else `jinja`. */
import { objectFrom, ownValue, together } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { JinjaSyntaxError } from '../../../language/jinja/expressions';
import type { Expr } from '../../../language/jinja/expressions';
import { parseJinja } from '../../../language/jinja/templates';
import { Untranslatable, componentAt, membersOf, textAt, typeOf } from './manifest';
import type { Component } from './manifest';
import { placeOf, putOption } from './requests';
import type { Draft } from './requests';
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
  const strategy = componentAt(paginator, 'pagination_strategy');
  if (strategy === undefined) throw new Untranslatable('a paginator without a strategy');
  const type = typeOf(strategy, '');
  if (!['PageIncrement', 'OffsetIncrement', 'CursorPagination'].includes(type)) throw new Untranslatable(type);
  const size = sizeOf(strategy, job.values);
  const option = componentAt(paginator, 'page_token_option');
  // Without a place for the token, templates of parameters have to read it.
  const isPlain = !hasOfPage && option !== undefined;
  const place = (): Place | undefined =>
    option === undefined || ownValue(option, 'type') === 'RequestPath' ? undefined : placeAt(option, job);
  const sentBy = (): JsonObject => {
    const param = place();
    return option === undefined ? { sendNext: false } : param === undefined ? {} : { param };
  };
  const putSize = (): void => {
    if (size !== undefined) putOption(job.draft, paginator, 'page_size_option', job.values, size);
  };
  if (type !== 'CursorPagination') {
    const counting = countingOf(strategy, job.values, size);
    const counted = isPlain ? countedBy(counting, place, componentAt(paginator, 'page_size_option'), job) : undefined;
    if (counted !== undefined) return counted;
    putSize();
    return together(countedByTemplate(counting), sentBy(), ofPage);
  }
  putSize();
  const stop = ownValue(strategy, 'stop_condition');
  if (stop === true) return undefined;
  const next = textAt(strategy, 'cursor_value');
  const end = typeof stop === 'string' ? stop : undefined;
  const followed = isPlain ? followedBy(next, end, place(), job) : undefined;
  if (followed !== undefined) return followed;
  const given = together(
    job.values.known(strategy, next, end ?? ''),
    size === undefined || !`${next}${end ?? ''}`.includes('page_size') ? {} : { page_size: size },
  );
  return together(
    { method: 'jinja', next, ...(end === undefined ? {} : { stop: end }) },
    sentBy(),
    Object.keys(given).length === 0 ? {} : { with: given },
    ofPage,
  );
}

function sizeOf(strategy: Component, values: Values): number | undefined {
  const written = ownValue(strategy, 'page_size') ?? null;
  if (written === null) return undefined;
  const size = Number(values.constant(written, strategy, ''));
  if (!Number.isInteger(size)) throw new Untranslatable('a page size that is no number');
  return size;
}

/** What a paginator counts, what it begins with, and whether its first request has that. */
interface Counting {
  readonly isOffset: boolean;
  readonly start: number;
  readonly isInFirst: boolean;
  readonly size: number | undefined;
}

function countingOf(strategy: Component, values: Values, size: number | undefined): Counting {
  const isOffset = textAt(strategy, 'type') === 'OffsetIncrement';
  const of = (name: string, byDefault: Json): Json => values.constant(ownValue(strategy, name), strategy, byDefault);
  return {
    ...{ isOffset, size, start: isOffset ? 0 : Number(of('start_from_page', 0)) },
    isInFirst: of('inject_on_first_request', false) === true,
  };
}

/** Returns the methods `pagenum` and `offset`; `undefined` where the language counts otherwise. */
function countedBy(
  { isOffset, start, isInFirst, size }: Counting,
  placeOfToken: () => Place | undefined,
  option: Component | undefined,
  job: Paged,
): JsonObject | undefined {
  if (!Number.isInteger(start) || (size === undefined ? isOffset : size < 1)) return undefined;
  const limitParam = option !== undefined && size !== undefined ? placeAt(option, job) : undefined;
  const param = placeOfToken();
  // A parameter of the job at one of these places means something else to each side.
  const isTaken = (place: Place | undefined): boolean =>
    place === '' || (typeof place === 'string' && Object.hasOwn(job.draft.params, place));
  if (param === undefined || isTaken(param) || isTaken(limitParam)) return undefined;
  return {
    ...(isOffset ? { method: 'offset', offsetParam: param } : { method: 'pagenum', pageParam: param }),
    ...(isOffset || start === 1 ? {} : { firstPage: start }),
    ...(size === undefined ? {} : { limit: size }),
    ...(limitParam !== undefined ? { limitParam } : size === undefined ? {} : { sendLimit: false }),
    ...(isInFirst ? {} : { firstPageParams: limitParam === undefined ? false : 'limit' }),
    ...(isOffset ? { advance: 'items' } : {}),
  };
}

/** Does the same as {@link countedBy}, by templates. */
const countedByTemplate = ({ isOffset, start, isInFirst, size = 0 }: Counting): JsonObject => ({
  method: 'jinja',
  next: `{{ (token if token is not none else ${start}) + ${isOffset ? 'last_page_size' : '1'} }}`,
  stop: `{{ last_page_size == 0 or last_page_size < ${size} }}`,
  zeroEnds: false,
  ...(isInFirst ? { first: start } : {}),
});

/** Returns the place that an option of a request names. */
function placeAt(option: Component, { draft, values }: Paged): Place {
  const { into, keys } = placeOf(option, values);
  const [key = ''] = keys;
  if (into === 'header') return { header: key, template: '{value}' };
  if (into === 'body_json') draft.body ??= {};
  if (into === 'body_data') draft.form ??= {};
  if (into === 'body_json' || into === 'body_data') return keys;
  if (into === 'request_parameter' && draft.body !== undefined && keys.length > 1)
    throw new Untranslatable('a nested parameter beside a body');
  return keys.length === 1 ? key : keys;
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
  if (root === 'response' && job.hasObject && keys.length > 0)
    return together(followedAt(place, { urlKey: path }, { responseParam: path }), stops);
  const [header = '', rel = 'next', url] = keys;
  if (root !== 'headers') return undefined;
  if (header === 'link' && place === undefined && keys.length === 3 && url === 'url')
    return together({ method: 'response.link', ...(rel === 'next' ? {} : { rel }), ...BESIDE }, stops);
  if (keys.length !== 1 || header === 'link') return undefined;
  return together(followedAt(place, { urlHeader: header }, { responseHeader: header }), stops);
}

const BESIDE = { includeParams: 'beside' } as const;

/** Returns the method for an address, or for a token that has a place. */
const followedAt = (place: Place | undefined, address: JsonObject, token: JsonObject): JsonObject =>
  place === undefined
    ? together({ method: 'response.url' }, address, { relativeTo: 'base', ...BESIDE })
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
const METHODS: ReadonlySet<string> = new Set(
  'clear copy fromkeys get items keys pop popitem setdefault update values'.split(' '),
);

/** Returns whether a value counts as false, so that a member of it is missing as well. */
function isEmpty(expr: Expr | undefined): boolean {
  if (expr === undefined) return true;
  if (expr.kind === 'constant') return !expr.value;
  if (expr.kind === 'list' || expr.kind === 'tuple') return expr.elements.length === 0;
  return expr.kind === 'dict' && expr.entries.length === 0;
}

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
    return { nextPageFlag: { ...(keys.length === 1 ? { field } : { path: keys.join('.') }), stopOn: false } };
  }
  if (condition?.kind !== 'comparison' || condition.others.length > 1) return undefined;
  const [[operator, other] = []] = condition.others;
  const isSize = condition.first.kind === 'name' && condition.first.name === 'last_page_size';
  const isNothing = other?.kind === 'constant' && other.value === 0;
  return isSize && operator === '==' && isNothing ? { stopWhenEmpty: true } : undefined;
}

/** Returns the parameters of a requester that depend on the page, and the values that they read. */
function parametersOfPage({ requester, values }: Paged): JsonObject {
  const ofPage = membersOf(ownValue(requester, 'request_parameters')).filter(([, value]) => values.isOfPage(value));
  if (ofPage.length === 0) return {};
  const params = objectFrom(ofPage.map(([key, value]) => [values.text(key, requester), value] as const));
  const names = values.known(requester, ...ofPage.flatMap(([, value]) => (typeof value === 'string' ? [value] : [])));
  return { params, ...(Object.keys(names).length === 0 ? {} : { with: names }) };
}
