import type { Doubt } from '../../core/evidence';
import { entriesOf, isObject, keysOf, ownValue } from '../../core/json/objects';
import { isBlankData, isScalar, textOf, typeName } from '../../core/json/scalars';
import type { Item, Json, JsonObject, Reply } from '../../core/model';
import { isTopLevel } from '../call';
import type { JobRun } from '../job-run';
import { aroundItems } from '../reply-value';
import type { PageOutcome } from './known';
import { metadataObjectsIn, placeText, plainKey } from './metadata';
import type { MetadataObject } from './metadata';

/** Keys whose value `true` means that some of the items are missing. */
const PARTIAL_KEYS: ReadonlySet<string> = new Set([
  ...['partial', 'ispartial', 'partialresults', 'partialresult', 'incomplete', 'incompleteresults', 'timedout'],
]);
/** Elasticsearch counts under this key the shards that did not respond. */
const SHARDS = 'shards';

/**
 * Returns the doubt about a response with a status of success that says that it is an error, or that items are missing
 * (docs/completeness.md): in place of items, beside them, or as one of them.
 */
export function saysError(running: JobRun, taken: PageOutcome): Doubt | undefined {
  const { plan, call } = running;
  const { reply, found } = taken;
  const isListOfErrors = plan.items.path === undefined && found.place.kind === 'list' && isErrorList(found.place.path);
  if (found.count > 0 && !isListOfErrors) return besideItems(running, taken) ?? amongItems(running, taken);
  const { data } = reply;
  const sign = errorSign(data);
  // A string or a number; a blank one may be the API's way to say that there is nothing.
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
  // An API may say so about a single parent item that has nothing below it.
  return { code: 'ERROR_IN_BODY', level: isSure && isTopLevel(call) ? 'error' : 'warning', message };
}

/** The root of the XML is that of HTML: a firewall, a login or a maintenance page responds in place of the API. */
const isWebPage = (data: Json | undefined): boolean =>
  isObject(data) && entriesOf(data).every(([key]) => key.toLowerCase() === 'html') && entriesOf(data).length > 0;

/** Returns the doubt about items beside which a member says that some are missing. */
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

/** Returns the doubt about an item, the only one or the last, that only describes an error: an export that failed midway ends so. */
function amongItems({ plan }: JobRun, { reply, found, next }: PageOutcome): Doubt | undefined {
  // Items in bytes are parsed only where a call ends and their last bytes may describe an error.
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

/** Returns whether the end of a page may be an item that describes an error; such items are short. */
const mayTell = (bytes: Uint8Array): boolean =>
  MAY_TELL.test(Buffer.from(bytes.subarray(-LONGEST_TELLING)).toString('latin1'));

const LONGEST_TELLING = 4096;
const MAY_TELL = /"(?:err|fault|exception|success|ok"|fail)/i;

const isErrorItem = (item: Item | undefined): boolean =>
  isObject(item) && entriesOf(item).some(([key, value]) => isError(plainKey(key), value, item)) && onlyTells(item);

/** A place at which a body says that it is an error, and whether it can mean nothing else. */
interface ErrorSign {
  readonly path: readonly string[];
  readonly isSure: boolean;
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const ERROR_KEYS = setOf('error errors err fault faults exception errormessage errordescription errmsg errormsg');
/** Keys for error codes: zero and similar values mean that there is no error. */
const ERROR_CODE_KEYS = setOf('errorcode errcode errno errorno retcode');
const SUCCESS_KEYS = setOf('success ok successful issuccess succeeded');
/** Keys whose value `true` means that there is an error; a number may count failures. */
const FLAG_KEYS = setOf('iserror haserror haserrors failed isfailed hasfailed failure isfailure errored');
const STATUS_KEYS = setOf('status statuscode code cod httpstatus httpcode stat result state resultcode returncode');
/** Keys whose numbers are codes; a number under `result` may count something. */
const CODE_KEYS = setOf('status statuscode code cod httpstatus httpcode resultcode returncode');
/** Keys of sentences that describe an error, or anything else. */
const TEXT_KEYS = setOf('message msg detail reason warning warnings notice');
/** Keys of a body that only describes an error. */
const TELLING_KEYS = setOf(
  'message msg detail details title type reason description timestamp path instance traceid requestid code status ' +
    'statuscode documentationurl help',
);
/** An object with one of these keys is an item with a state of its own, not an object that holds items. */
const IDENTITY_KEYS = setOf('id uuid guid name');
/** Objects in which APIs report the outcome of a request, beside those that describe pages. */
const ENVELOPES = setOf('header headers head status responsestatus responseheader envelope attributes');

const FAILURE_WORD = /^(?:error|fail(?:ed|ure)?|ko|nok|exception|denied|forbidden|unauthori[sz]ed|unauthenticated)$/i;
/** Matches a part of a compound word, such as `OVER_QUERY_LIMIT`, that means an error. */
const FAILURE_PART =
  /(?:^|[\s_-])(?:error|fail(?:ed|ure)?|exception|denied|forbidden|unauthori[sz]ed|unauthenticated|invalid|expired|exceeded|exhausted|limit|throttled|timeout|unavailable)(?:$|[\s_-])/i;
const NO_FAILURE =
  /^(?:ok(?:ay)?|success(?:ful(?:ly)?)?|succeeded|none|no|null|nil|false|0+|n\/a|no[ _-]?errors?)[.!]?$/i;
const TELLS_OF_FAILURE =
  /error|fail|denied|forbidden|unauthori[sz]ed|invalid|expired|exceeded|too many|rate limit|throttl|timed? ?out|unavailable|not allowed|overload|exception|maintenance|\bpartial\b|incomplete|^not found\.?$/i;
/** Matches what an API says about an empty list. */
const TELLS_OF_NOTHING =
  /^\W*(?:no|none|nothing|zero|0|empty|ok(?:ay)?|success\w*)\b(?!.*\b(?:api|key|token|permission|access|auth\w*|credentials?|session|quota)\b)/i;

/** Returns what a sentence in place of items says: that there is an error, that there is nothing, or anything else. */
export function toldBy(text: string): 'error' | 'nothing' | 'other' {
  if (TELLS_OF_NOTHING.test(text)) return 'nothing';
  return TELLS_OF_FAILURE.test(text) ? 'error' : 'other';
}

/** Returns whether a detected array is one of errors. */
const isErrorList = (path: readonly string[]): boolean => ERROR_KEYS.has(plainKey(path.at(-1) ?? ''));

/**
 * Returns the place at which a body without items says that it is an error, whatever its status says.
 *
 * @example errorSign({ ok: false, error: 'ratelimited' }) // { path: ['ok'], isSure: true }
 */
export function errorSign(data: Json | undefined): ErrorSign | undefined {
  let doubtful = messageIn(data);
  if (doubtful?.isSure === true) return doubtful;
  for (const { path, object } of objectsIn(data))
    for (const [key, value] of entriesOf(object)) {
      const plain = plainKey(key);
      if (isError(plain, value, object) || isFailureWithoutItems(plain, value, object))
        return { path: [...path, key], isSure: true };
      if (mayFail(plain, value, object)) doubtful ??= { path: [...path, key], isSure: false };
    }
  return doubtful;
}

function* objectsIn(data: Json | undefined): Generator<MetadataObject> {
  for (const place of metadataObjectsIn(data, [])) {
    yield place;
    for (const [key, value] of entriesOf(place.object))
      if (isObject(value) && ENVELOPES.has(plainKey(key))) yield { path: [...place.path, key], object: value };
  }
}

/** Returns whether a member of an object says that there is an error, with items or without. The key is in the form of {@link plainKey}. */
export function isError(key: string, value: Json, object: JsonObject): boolean {
  if (SUCCESS_KEYS.has(key)) return value === false || value === 'false' || value === 0;
  if (FLAG_KEYS.has(key)) return value === true || value === 'true';
  if (STATUS_KEYS.has(key)) return isFailure(value) && keysOf(object).every((each) => TELLING_KEYS.has(plainKey(each)));
  if (ERROR_CODE_KEYS.has(key)) return !saysNothing(value) && !isGoodCode(value);
  return ERROR_KEYS.has(key) && !saysNothing(value);
}

/** Returns whether an object has only keys that describe an error, or blank values beside them. */
const onlyTells = (object: JsonObject): boolean =>
  entriesOf(object).every(([key, value]) => {
    const plain = plainKey(key);
    return isBlankData(value) || TELLING.some((keys) => keys.has(plain));
  });

const TELLING = [ERROR_KEYS, ERROR_CODE_KEYS, SUCCESS_KEYS, FLAG_KEYS, STATUS_KEYS, TELLING_KEYS];

/** Returns whether a body has only keys that describe an error. */
export const isMessage = (data: JsonObject): boolean =>
  keysOf(data).length > 0 && keysOf(data).every((key) => TELLING_KEYS.has(plainKey(key)));

/** Returns whether a status in a body without items means an error. */
function isFailureWithoutItems(key: string, value: Json, object: JsonObject): boolean {
  if (!STATUS_KEYS.has(key) || hasIdentity(object)) return false;
  if (typeof value === 'string' && FAILURE_WORD.test(value)) return true;
  if (!CODE_KEYS.has(key)) return false;
  const code = codeOf(value);
  return isHttpFailure(code) || code < 0 || (isLongFailure(code) && messageOf(object) !== undefined);
}

/** Returns whether a member of a body without items may mean an error: an unknown code, a word or a sentence. */
function mayFail(key: string, value: Json, object: JsonObject): boolean {
  const text = typeof value === 'string' ? value : '';
  if (TEXT_KEYS.has(key)) return text.length > 0 && !TELLS_OF_NOTHING.test(text) && TELLS_OF_FAILURE.test(text);
  if (!STATUS_KEYS.has(key)) return false;
  if (FAILURE_WORD.test(text)) return true;
  if (hasIdentity(object)) return false;
  if (FAILURE_PART.test(text)) return true;
  const code = codeOf(value);
  const isCode = CODE_KEYS.has(key) && Number.isSafeInteger(code) && key !== 'status';
  return isCode && !isGoodCode(value) && !NO_FAILURE.test(messageOf(object)?.text ?? 'ok');
}

/** Returns the message in place of anything else; one that describes a failure is sure. */
function messageIn(data: Json | undefined): ErrorSign | undefined {
  const found = isObject(data) && isMessage(data) ? messageOf(data) : undefined;
  if (found === undefined || TELLS_OF_NOTHING.test(found.text)) return undefined;
  return { path: [found.key], isSure: TELLS_OF_FAILURE.test(found.text) };
}

function messageOf(object: JsonObject): { readonly key: string; readonly text: string } | undefined {
  for (const [key, text] of entriesOf(object))
    if (typeof text === 'string' && text !== '' && TEXT_KEYS.has(plainKey(key))) return { key, text };
  return undefined;
}

const hasIdentity = (object: JsonObject): boolean => keysOf(object).some((key) => IDENTITY_KEYS.has(plainKey(key)));

/** Returns whether a value is blank, a word for blank, or an object of such values. */
const saysNothing = (value: Json): boolean =>
  isBlankData(value) ||
  (typeof value === 'string' && NO_FAILURE.test(value)) ||
  (isObject(value) && entriesOf(value).every(([, inner]) => saysNothing(inner)));

/** Returns a number, or a string of digits as a number; `NaN` for anything else. */
const codeOf = (value: Json): number =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value)) ? Number(value) : NaN;

/** Codes of success are those of HTTP, or round numbers. */
const isGoodCode = (value: Json): boolean => isScalar(value) && /^(?:[a-z]?0+|1|2\d\d|[12]0+)$/i.test(textOf(value));

const isHttpFailure = (code: number): boolean => code >= 400 && code < 600;

/** Matches an HTTP status with digits appended, such as 50001. */
const isLongFailure = (code: number): boolean => /^[45]\d{4,5}$/.test(String(code));

/** Returns whether a value is an HTTP status or a word that means failure. */
const isFailure = (value: Json): boolean =>
  typeof value === 'string' ? /^(error|fail(ed|ure)?|[45]\d\d)$/i.test(value) : isHttpFailure(Number(value));
