import { isBlankData } from '../../core/json/blank';
import { entriesOf, isObject, ownValue } from '../../core/json/keys';
import { isScalar, typeName } from '../../core/json/text';
import type { Doubt } from '../../core/evidence';
import type { Item, Json, JsonObject, Reply } from '../../core/model';
import { isTopLevel } from '../call';
import type { JobRun } from '../job-run';
import { aroundItems } from '../reply-value';
import { errorSign, isError, isErrorList, onlyTells } from './error-signs';
import { metadataObjectsIn, placeText, plainKey } from './metadata-objects';
import type { PageOutcome } from './page-outcome';

/** Keys whose value `true` says that some of the items are missing. */
const PARTIAL_KEYS: ReadonlySet<string> = new Set([
  ...['partial', 'ispartial', 'partialresults', 'partialresult', 'incomplete', 'incompleteresults', 'timedout'],
]);
/** Elasticsearch counts here what did not answer. */
const SHARDS = 'shards';

/**
 * The doubt about a response with a status of success that says that it is an error, or that items are missing
 * (docs/completeness.md): in place of items, beside them, or as one of them.
 */
export function saysError(running: JobRun, taken: PageOutcome): Doubt | undefined {
  const { plan, call } = running;
  const { reply, found } = taken;
  const isListOfErrors = plan.items.path === undefined && found.place.kind === 'list' && isErrorList(found.place.path);
  if (found.count > 0 && !isListOfErrors) return besideItems(running, taken) ?? amongItems(running, taken);
  const { data } = reply;
  const sign = errorSign(data);
  // A string or a number; a blank one may be how the API says that there is nothing.
  const isScalarBody = found.place.kind === 'missing' && !isBlankData(data) && isScalar(data);
  const isPage = found.place.kind === 'missing' && isWebPage(data);
  if (sign === undefined && !isScalarBody && !isPage) return undefined;
  const isSure = sign?.isSure !== false;
  const what =
    sign === undefined
      ? `is a ${isPage ? 'page of HTML' : typeName(data)}`
      : `${isSure ? 'says' : 'seems to say'} with ${placeText(sign.path)} that it is an error`;
  const message =
    `A response of ${plan.endpoint} has no items that can be trusted, and ${what}, although its status is ${reply.response.status}. ` +
    `"completeness": "off" in the job takes it as no items.`;
  // An API may say so of a single parent item that has nothing below it.
  return { code: 'ERROR_IN_BODY', level: isSure && isTopLevel(call) ? 'error' : 'warning', message };
}

/** XML whose root is that of HTML: a firewall, a login or a maintenance page answers in place of the API. */
const isWebPage = (data: Json | undefined): boolean =>
  isObject(data) && entriesOf(data).every(([key]) => key.toLowerCase() === 'html') && entriesOf(data).length > 0;

/** Items came, and what stands beside them says that they are not all. */
function besideItems({ plan }: JobRun, { reply, found }: PageOutcome): Doubt | undefined {
  if (found.place.kind !== 'list') return undefined;
  const where = saidBeside(reply, found.place.path);
  if (where === undefined) return undefined;
  const message =
    `A response of ${plan.endpoint} has items, and says with ${where} that something went wrong, although its status is ` +
    `${reply.response.status}: items may be missing.`;
  return { code: 'ERROR_IN_BODY', level: 'warning', message };
}

function saidBeside(reply: Reply, path: readonly string[]): string | undefined {
  for (const { path: place, object } of metadataObjectsIn(aroundItems(reply), path)) {
    const own = path[place.length];
    const found = entriesOf(object).find(([key, value]) => key !== own && isTrouble(plainKey(key), value, object));
    if (found !== undefined) return placeText([...place, found[0]]);
  }
  return undefined;
}

function isTrouble(key: string, value: Json, object: JsonObject): boolean {
  if (PARTIAL_KEYS.has(key)) return value === true || value === 'true';
  if (key === SHARDS) return isObject(value) && Number(ownValue(value, 'failed') ?? 0) > 0;
  return isError(key, value, object);
}

/** An item that only says that there is an error, the only one or the last: so ends an export that failed on its way. */
function amongItems({ plan }: JobRun, { reply, found, next }: PageOutcome): Doubt | undefined {
  // Items that were found in bytes are parsed for it where a call ends, if the last of them may say so, and else not.
  const { raw } = reply;
  if (raw !== undefined && found.count > 1 && !(next.kind === 'stop' && mayTell(raw.bytes()))) return undefined;
  const { items } = found;
  const [first, last] = [items[0], items.at(-1)];
  if (!isErrorItem(last) || (items.length > 1 && isErrorItem(first))) return undefined;
  const which = items.length === 1 ? 'The only item' : `The last of ${items.length} items`;
  const message =
    `${which} of a response of ${plan.endpoint} says that there was an error, although the status is ${reply.response.status}: ` +
    `${items.length === 1 ? 'it may be none' : 'items may be missing'}.`;
  return { code: 'ERROR_IN_BODY', level: 'warning', message };
}

/** Whether the end of a page has what an item that tells of an error has; that is short. */
const mayTell = (bytes: Uint8Array): boolean =>
  TELLING.test(Buffer.from(bytes.subarray(-LONGEST_TELLING)).toString('latin1'));

const LONGEST_TELLING = 4096;
const TELLING = /"(?:err|fault|exception|success|ok"|fail)/i;

const isErrorItem = (item: Item | undefined): boolean =>
  isObject(item) && entriesOf(item).some(([key, value]) => isError(plainKey(key), value, item)) && onlyTells(item);
