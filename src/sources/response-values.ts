import { sameJson } from '../core/json/literals';
import { exactValueAt, jsonPathOf, valueAt } from '../core/json/path';
import type { Json, Reply } from '../core/model';
import type { TotalPlace } from '../language/configuration/pagination';
import { namesErrors } from './completeness/words';

/**
 * Returns the value at a path of a response (docs/language/README.md#paths). The items are not parsed for a path that leads past them.
 *
 * @returns `undefined` when a step is missing
 * @example responseValue(reply, 'links.next')
 */
export function responseValue(reply: Reply, path: string, delimiter = '.'): Json | undefined {
  return valueAt(dataFor(reply, path, delimiter), path, delimiter);
}

/** Returns the value as {@link responseValue} does; a number that JavaScript cannot hold is the string of its digits. */
export const exactResponseValue = (reply: Reply, path: string): Json | undefined =>
  exactValueAt(dataFor(reply, path, '.'), path);

function dataFor(reply: Reply, path: string, delimiter: string): Json | undefined {
  if (jsonPathOf(path, delimiter) !== undefined) return reply.data;
  const steps = path === delimiter ? [] : path.split(delimiter);
  const passesItems = reply.raw?.path.some((key, at) => at < steps.length && steps[at] !== key) === true;
  return passesItems ? reply.raw.around() : reply.data;
}

/** Returns the data of a response beside its items; all of it if the items were not found in its bytes, or may be errors. */
export const aroundItems = (reply: Reply): Json | undefined =>
  reply.raw === undefined || namesErrors(reply.raw.path[0] ?? '') ? reply.data : reply.raw.around();

/** Returns whether two responses have equal data (docs/language/pagination.md#equal-pages); mostly their first items differ. */
export function sameResponses(a: Reply, b: Reply): boolean {
  if (a.raw !== undefined && b.raw !== undefined) {
    if (Buffer.compare(a.response.body, b.response.body) === 0) return true;
    if (a.raw.path.length === b.raw.path.length && a.raw.count !== b.raw.count) return false;
    if (!sameJson(a.raw.first(), b.raw.first())) return false;
  }
  return sameJson(a.data, b.data);
}

/**
 * Returns the value where a response reports the number of items: at a path, or in a header. Of a range header as in RFC 9110, `items
 * 0-24/66`, it is the part after the slash.
 */
export function totalValue(reply: Reply, place: TotalPlace): Json | undefined {
  if ('path' in place) return responseValue(reply, place.path);
  const [text = ''] = [reply.response.headers[place.header] ?? []].flat();
  return /^(?:.*\/)?\s*(\d+)\s*$/.exec(text)?.[1];
}

/** Returns the place of a total as messages show it. */
export const totalPlaceText = (place: TotalPlace): string =>
  'path' in place ? JSON.stringify(place.path) : `the header ${place.header}`;

const DECIMAL = /^\s*([+-]?\d+)(?:\.\d*)?\s*$/;
const NUMERIC = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/**
 * Returns the integer of a number or a numeric string, to the last digit; fractions are cut (docs/language/stops.md#limitstop,
 * docs/language/pagination/cursor.md).
 *
 * @returns `undefined` when the value is not numeric
 * @example integerOf('9007199254740993.9') // 9007199254740993n
 */
export function integerOf(value: Json | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return truncated(value);
  if (typeof value !== 'string') return undefined;
  const digits = DECIMAL.exec(value)?.[1];
  if (digits !== undefined) return BigInt(digits);
  return NUMERIC.test(value) ? truncated(Number(value)) : undefined;
}

/** Returns whether {@link integerOf} cuts a fraction off a number or a numeric string. */
export function hasFraction(value: Json | undefined): boolean {
  if (typeof value !== 'string') return typeof value === 'number' && !Number.isInteger(value);
  return DECIMAL.test(value) ? /\.\d*[1-9]/.test(value) : !Number.isInteger(Number(value));
}

/** Returns the integer as JSON has it: a `bigint` only where a number would lose digits. */
export function jsonInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const truncated = (value: number): bigint | undefined =>
  Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
