/** Paginators of Airbyte as scrollers of the method `jinja`. */
import { entriesOf, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { textAt, together } from './manifest';
import type { Component } from './manifest';
import { placeOf, put } from './draft';
import type { Draft } from './draft';
import { Untranslatable } from './values';
import type { Values } from './values';

/**
 * Returns the scroller of a paginator, and puts the page size into the job; `undefined` if there is one page.
 *
 * @param requester whose parameters may depend on the page
 */
export function paginationOf(
  paginator: Component | undefined,
  requester: Component,
  draft: Draft,
  values: Values,
): JsonObject | undefined {
  const ofPage = parametersOfPage(requester, values);
  if (paginator === undefined || ownValue(paginator, 'type') === 'NoPagination')
    return Object.keys(ofPage).length === 0
      ? undefined
      : together({ method: 'jinja', next: '', param: 'page' }, ofPage);
  const strategy = ownValue(paginator, 'pagination_strategy');
  if (!isObject(strategy)) throw new Untranslatable('a paginator without a strategy');
  const type = textAt(strategy, 'type');
  const size = sizeOf(ownValue(strategy, 'page_size'), strategy, values);
  const sizeOption = ownValue(paginator, 'page_size_option');
  if (isObject(sizeOption) && size !== undefined) put(draft, sizeOption, values, size);
  const place = placeIn(ownValue(paginator, 'page_token_option'), draft, values);
  const most = size ?? 0;
  if (type === 'PageIncrement' || type === 'OffsetIncrement') {
    const isPage = type === 'PageIncrement';
    const start = isPage ? Number(values.constant(ownValue(strategy, 'start_from_page'), strategy, 0)) : 0;
    const isInFirst = values.constant(ownValue(strategy, 'inject_on_first_request'), strategy, false) === true;
    const by = isPage ? '1' : 'last_page_size';
    const next = `{{ (token if token is not none else ${start}) + ${by} }}`;
    const stop = `{{ last_page_size == 0 or last_page_size < ${most} }}`;
    return together({ method: 'jinja', next, stop, zeroEnds: false }, isInFirst ? { first: start } : {}, place, ofPage);
  }
  if (type !== 'CursorPagination') throw new Untranslatable(type);
  const next = textAt(strategy, 'cursor_value');
  const stop = ownValue(strategy, 'stop_condition');
  if (stop === true) return undefined;
  const end = typeof stop === 'string' ? stop : undefined;
  const names = values.known(strategy, next, ...(end === undefined ? [] : [end]));
  const given = together(names, size === undefined ? {} : { page_size: size });
  return together(
    { method: 'jinja', next },
    end === undefined ? {} : { stop: end },
    place,
    Object.keys(given).length === 0 ? {} : { with: given },
    ofPage,
  );
}

function sizeOf(written: Json | undefined, strategy: Component, values: Values): number | undefined {
  if (written === undefined || written === null) return undefined;
  const size = Number(values.constant(written, strategy, ''));
  if (!Number.isInteger(size)) throw new Untranslatable('a page size that is no number');
  return size;
}

/** Returns the options for the place of the token. */
function placeIn(option: Json | undefined, draft: Draft, values: Values): JsonObject {
  if (!isObject(option)) throw new Untranslatable('a paginator without page_token_option');
  if (ownValue(option, 'type') === 'RequestPath') return {};
  const { into, keys } = placeOf(option, values);
  const [key = ''] = keys;
  if (into === 'header') return { param: { header: key, template: '{value}' } };
  if (into === 'body_json') {
    draft.body ??= {};
    return { param: [...keys] };
  }
  if (into === 'body_data') {
    draft.form ??= {};
    return { param: [...keys] };
  }
  if (into === 'request_parameter' && draft.body !== undefined && keys.length > 1)
    throw new Untranslatable('a nested parameter beside a body');
  return { param: keys.length === 1 ? key : [...keys] };
}

/** Returns the parameters of a requester that depend on the page, and the values that they read. */
function parametersOfPage(requester: Component, values: Values): JsonObject {
  const written = ownValue(requester, 'request_parameters');
  const ofPage = isObject(written) ? entriesOf(written).filter(([, value]) => values.isOfPage(value)) : [];
  if (ofPage.length === 0) return {};
  const params = objectFrom(ofPage.map(([key, value]) => [values.text(key, requester), value] as const));
  const names = values.known(requester, ...ofPage.flatMap(([, value]) => (typeof value === 'string' ? [value] : [])));
  return { params, ...(Object.keys(names).length === 0 ? {} : { with: names }) };
}
