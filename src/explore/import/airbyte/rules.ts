/** Error handlers of Airbyte as rules of a job. */
import { isList, isObject, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { jinjaOf } from '../../../language/jinja/jinja';
import { componentsIn, typeOf } from './draft';
import { textAt, together } from './manifest';
import type { Component } from './manifest';
import { Untranslatable } from './values';
import type { Values } from './values';

const ACTIONS: Readonly<Record<string, string>> = {
  IGNORE: 'skip',
  RETRY: 'retry',
  FAIL: 'fail',
  RATE_LIMITED: 'retry',
};

/** The statuses that are tried again where no filter holds. */
const RETRIED = [408, 429, '5xx'];

/** Returns the rules of an error handler, in their order. */
export function rulesOf(handler: Component | undefined, values: Values): JsonObject {
  if (handler === undefined) return {};
  const inner = componentsIn(handler, 'error_handlers');
  const all = inner.length > 0 ? inner : [handler];
  const rules = all.flatMap((each) => {
    const type = typeOf(each, 'DefaultErrorHandler');
    if (type !== 'DefaultErrorHandler') throw new Untranslatable(type);
    const wait = waitOf(each, values);
    return componentsIn(each, 'response_filters').flatMap((filter) => ruleOf(filter, wait, values));
  });
  const [first] = all.map((each) => waitOf(each, values)).filter((wait) => Object.keys(wait).length > 0);
  const retried = first === undefined ? [] : [together({ when: { status: RETRIED }, do: 'retry' }, first)];
  return rules.length + retried.length === 0 ? {} : { rules: [...rules, ...retried] };
}

/** Returns how long a handler waits, by all of its strategies: those that read a header come first. */
function waitOf(handler: Component, values: Values): JsonObject {
  const wait: Record<string, Json> = {};
  for (const strategy of componentsIn(handler, 'backoff_strategies')) {
    const type = typeOf(strategy, '');
    const constant = (name: string): Json => values.constant(ownValue(strategy, name), strategy);
    switch (type) {
      case 'ConstantBackoffStrategy':
        wait['seconds'] ??= Number(constant('backoff_time_in_seconds'));
        break;
      case 'ExponentialBackoffStrategy':
        if (wait['seconds'] === undefined) wait['doubles'] = true;
        wait['seconds'] ??= Number(constant('factor') ?? 5) * 2;
        break;
      case 'WaitTimeFromHeader':
      case 'WaitUntilTimeFromHeader': {
        const [regex, least] = [constant('regex'), constant('min_wait')];
        wait['header'] ??= values.text(ownValue(strategy, 'header'), strategy);
        if (typeof regex === 'string' && regex !== '') wait['matches'] ??= regex;
        if (least !== null) wait['least'] ??= Number(least);
        break;
      }
      default:
      // What a strategy of Python waits is not known: the waits are those of Headwater.
    }
  }
  return Object.keys(wait).length === 0 ? {} : { wait };
}

function ruleOf(filter: Component, wait: JsonObject, values: Values): readonly JsonObject[] {
  const type = typeOf(filter, 'HttpResponseFilter');
  if (type !== 'HttpResponseFilter') throw new Untranslatable(type);
  const written = ownValue(filter, 'action');
  const known = isObject(written) ? textAt(written, 'action') : textAt(filter, 'action');
  const action = ACTIONS[known];
  const codes = ownValue(filter, 'http_codes');
  const says = ownValue(filter, 'error_message_contains');
  const predicate = ownValue(filter, 'predicate');
  // The CDK takes a filter for met where any of its conditions is.
  const conditions: readonly JsonObject[] = [
    ...(isList(codes) && codes.length > 0 ? [{ status: codes.map(Number) }] : []),
    ...(typeof predicate === 'string' && predicate !== '' ? [{ jinja: templateOf(predicate, filter, values) }] : []),
    ...(typeof says === 'string' && says !== '' ? [{ matches: says.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') }] : []),
  ];
  const message = ownValue(filter, 'error_message');
  const own = typeof message === 'string' && action === 'fail' ? said(message, filter, values) : '';
  if (action === undefined) return [];
  return conditions.map((when) =>
    together({ when, do: action }, own === '' ? {} : { message: own }, action === 'retry' ? wait : {}),
  );
}

/** Returns a predicate; what it reads beside the response is set before it. */
function templateOf(predicate: string, filter: Component, values: Values): string {
  const given = [...jinjaOf(predicate).names].filter((name) => name !== 'response' && name !== 'headers');
  if (given.length === 0) return predicate;
  const { with: known = {} } = values.atRun(predicate, filter, 'value', ['response', 'headers']);
  const sets = given.map(
    (name) => `{% set ${name} = ${JSON.stringify(ownValue(known as JsonObject, name) ?? null)} %}`,
  );
  return `${sets.join('')}${predicate}`;
}

/** Returns a message, if it depends on the config alone. */
function said(message: string, filter: Component, values: Values): string {
  try {
    return values.text(message, filter);
  } catch {
    return '';
  }
}
