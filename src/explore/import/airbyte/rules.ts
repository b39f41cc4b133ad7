/** Error handlers of Airbyte as rules of a job. */
import { isList, isObject, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { textAt } from './manifest';
import type { Component } from './manifest';
import type { Values } from './values';

const ACTIONS: Readonly<Record<string, string>> = {
  IGNORE: 'skip',
  RETRY: 'retry',
  FAIL: 'fail',
  RATE_LIMITED: 'retry',
};

/** Returns the rules of an error handler, as far as they depend on a status or a string in the body. */
export function rulesOf(handler: Component | undefined, values: Values): JsonObject {
  if (handler === undefined) return {};
  const inner = ownValue(handler, 'error_handlers');
  const all = isList(inner) ? inner.filter(isObject) : [handler];
  const rules = all.flatMap((each) => {
    const filters = ownValue(each, 'response_filters');
    return isList(filters) ? filters.filter(isObject).flatMap((filter) => ruleOf(filter, values)) : [];
  });
  return rules.length === 0 ? {} : { rules };
}

function ruleOf(filter: Component, values: Values): readonly JsonObject[] {
  const written = ownValue(filter, 'action');
  const action = ACTIONS[isObject(written) ? textAt(written, 'action') : textAt(filter, 'action')];
  const codes = ownValue(filter, 'http_codes');
  const says = ownValue(filter, 'error_message_contains');
  // A predicate is looked at by nothing yet: without it a rule would hold for too many answers.
  if (action === undefined || typeof ownValue(filter, 'predicate') === 'string') return [];
  const when: Record<string, Json> = {
    ...(isList(codes) && codes.length > 0 ? { status: codes.map(Number) } : {}),
    ...(typeof says === 'string' ? { matches: says.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') } : {}),
  };
  if (Object.keys(when).length === 0) return [];
  const message = ownValue(filter, 'error_message');
  const told = typeof message === 'string' && action === 'fail' ? said(message, filter, values) : '';
  return [{ when, do: action, ...(told === '' ? {} : { message: told }) }];
}

/** Returns a message, if it depends on the config alone. */
function said(message: string, filter: Component, values: Values): string {
  try {
    return values.text(message, filter);
  } catch {
    return '';
  }
}
