import { isBlankData } from '../../json/blank';
import { entriesOf, isList, isObject } from '../../json/keys';
import { typeName } from '../../json/text';
import type { Json, Reply } from '../../model';
import type { JobPlan } from '../../plan/plan';
import type { Found } from '../items';
import type { Known } from './known';
import { plainKey } from './places';

const ERROR_KEYS: ReadonlySet<string> = new Set([
  ...['error', 'errors', 'fault', 'exception', 'errormessage', 'errordescription', 'errorcode', 'errmsg'],
]);
const SUCCESS_KEYS: ReadonlySet<string> = new Set(['success', 'ok', 'successful']);

/**
 * After pages with lists of items, a page without one is a failure that the API does not call so: the list became an object
 * or a string, which would count as an item, or the body says that it is an error (docs/completeness.md).
 *
 * @param pages of the call before this one
 * @returns the failure in words; `undefined` for a page as the ones before
 */
export function shapeFault(plan: JobPlan, pages: number, known: Known, reply: Reply, found: Found): string | undefined {
  if (!known.hasLists || found.place.kind === 'list') return undefined;
  const change = changeOf(found, reply.data);
  if (change === undefined) return undefined;
  const where = plan.items.path === undefined ? 'the place of the items' : `dataField "${plan.items.path}"`;
  return (
    `${plan.path}: page ${pages + 1} of ${plan.endpoint} has ${change} at ${where}, where the pages before had lists. ` +
    `Paging cannot go on safely; "completeness": "off" in the job takes such a page as it is.`
  );
}

function changeOf({ place }: Found, data: Json | undefined): string | undefined {
  switch (place.kind) {
    case 'list':
    case 'empty':
      return undefined;
    case 'value':
      return 'a single value';
    case 'blank':
      // APIs that are written in Go say null for an empty list.
      return place.isNull ? undefined : 'a blank value';
    case 'missing': {
      if (!isObject(data) && !isList(data)) return `nothing (the body is a ${typeName(data)})`;
      const error = errorIn(data);
      return error === undefined ? undefined : `nothing, but an error (${JSON.stringify(error)})`;
    }
  }
}

/**
 * The key by which a body says that it is an error, whatever its status says.
 *
 * @example errorIn({ ok: false, error: 'ratelimited' }) // 'ok'
 */
export function errorIn(data: Json | undefined): string | undefined {
  if (!isObject(data)) return undefined;
  return entriesOf(data).find(([key, value]) => {
    const plain = plainKey(key);
    if (SUCCESS_KEYS.has(plain)) return value === false;
    if (plain === 'status') return typeof value === 'string' && /^(error|fail(ed|ure)?)$/i.test(value);
    return ERROR_KEYS.has(plain) && !isBlankData(value);
  })?.[0];
}
