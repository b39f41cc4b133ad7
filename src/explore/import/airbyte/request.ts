/** The address, the parameters, the headers and the body of a requester. */
import { entriesOf, isObject, ownValue } from '../../../core/json/objects';
import type { Json } from '../../../core/model';
import { typeOf } from './draft';
import type { Draft } from './draft';
import type { Component } from './manifest';
import { Untranslatable } from './values';
import type { Values } from './values';

/** Returns an address of a base and a path, as Python's `urljoin` does. */
export function endpointOf(base: string, path: string): string {
  const own = path.replace(/^\/+/, '');
  if (/^https?:\/\//.test(own) || own === '') return own === '' ? base : own;
  return base === '' ? own : base.replace(/\/*$/, '/') + own;
}

/** Puts the parameters, headers and the body of a requester into a job. */
export function requestOf(requester: Component, draft: Draft, values: Values): void {
  const members = (name: string): readonly (readonly [string, Json])[] => {
    const written = ownValue(requester, name) ?? {};
    const made = typeof written === 'string' ? values.constant(written, requester, {}) : written;
    if (!isObject(made)) throw new Untranslatable(`${name} as a text`);
    return entriesOf(made).filter(([key]) => key !== '$parameters');
  };
  if (
    ownValue(requester, 'query_properties') !== undefined ||
    ownValue(requester, 'fetch_properties_from_endpoint') !== undefined
  )
    throw new Untranslatable('query_properties');
  for (const [key, written] of members('request_parameters')) {
    if (isObject(written)) throw new Untranslatable(typeOf(written, 'an object as a parameter'));
    if (values.isOfPage(written)) continue;
    const value = values.parameter(written, requester);
    if (value !== null && value !== '') draft.params[values.text(key, requester)] = value;
  }
  for (const [key, written] of members('request_headers')) {
    if (values.isOfPage(written)) throw new Untranslatable('a header that depends on the page');
    const value = values.parameter(written, requester);
    if (value !== null && value !== '') draft.headers[values.text(key, requester)] = value;
  }
  const body = ownValue(requester, 'request_body');
  const content = isObject(body) ? (ownValue(body, 'value') ?? {}) : {};
  const kind = typeOf(body, '');
  const json = kind === 'RequestBodyJsonObject' ? content : ownValue(requester, 'request_body_json');
  const form = kind === 'RequestBodyUrlEncodedForm' ? content : ownValue(requester, 'request_body_data');
  if (kind === 'RequestBodyGraphQL' || kind === 'RequestBodyPlainText') throw new Untranslatable(kind);
  if (json !== undefined && !isEmpty(json)) {
    const made = values.body(json, requester);
    if (!isObject(made)) throw new Untranslatable('a body that is no object');
    if (Object.hasOwn(made, 'jinja')) throw new Untranslatable('a body that is a template');
    draft.body = Object.fromEntries([...entriesOf(made), ...Object.entries(draft.body ?? {})]);
  }
  if (form !== undefined && !isEmpty(form)) {
    if (!isObject(form)) throw new Untranslatable('a body that is a string');
    for (const [key, written] of entriesOf(form)) {
      if (key === '$parameters') continue;
      const value = values.parameter(written, requester);
      if (value !== null && value !== '') (draft.form ??= {})[values.text(key, requester)] = value;
    }
  }
}

const isEmpty = (written: Json): boolean =>
  written === null || written === '' || (isObject(written) && Object.keys(written).length === 0);
