import { isObject, keysOf, ownValue } from '../../core/json/keys';
import { isScalar } from '../../core/json/text';
import type { Doubt } from '../../core/evidence';
import type { JobRun } from '../job-run';
import { aroundItems } from '../reply-value';
import { plainKey } from './metadata-objects';
import type { PageOutcome } from './page-outcome';

/** Keys by which an object is an item itself. */
export const ID_KEYS: ReadonlySet<string> = new Set(['id', 'uuid', 'guid', 'objectid']);
/** Keys at which APIs have the items of an answer, whatever else is beside them. */
export const ENVELOPES: ReadonlySet<string> = new Set([
  ...['data', 'items', 'result', 'results', 'records', 'rows', 'entries', 'content', 'values', 'value', 'list'],
  ...['objects', 'hits', 'elements', 'documents', 'docs', 'members', 'response', 'collection', 'features'],
]);

/**
 * The doubt about a single item, asked for by its id perhaps, of which an array inside was detected as the items
 * (docs/language/responses.md#detection).
 */
export function listOfObject({ plan }: JobRun, { reply, found, pages }: PageOutcome): Doubt | undefined {
  if (plan.items.path !== undefined || pages > 0 || found.count === 0) return undefined;
  if (found.place.kind !== 'list' || found.place.path.length !== 1) return undefined;
  const [key = ''] = found.place.path;
  const data = aroundItems(reply);
  if (!isObject(data) || ENVELOPES.has(plainKey(key))) return undefined;
  const id = keysOf(data).find((name) => ID_KEYS.has(plainKey(name)) && isScalar(ownValue(data, name)));
  if (id === undefined) return undefined;
  const message =
    `A response of ${plan.endpoint} is an object with ${JSON.stringify(id)}, and its array ${JSON.stringify(key)} was taken for the items. ` +
    `If the object is the item, set "dataField": "." in the job; if its array is meant, "dataField": ${JSON.stringify(key)}.`;
  return { code: 'LIST_OF_OBJECT', level: 'warning', message };
}
