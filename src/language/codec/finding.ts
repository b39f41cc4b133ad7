import type { Fault, FaultCode } from '../../core/errors/errors';
import type { Json } from '../../core/model';
import { isList, isObject, keysOf, ownValue } from '../../core/json/keys';
import { nameOnly } from '../../core/url/header-text';

/** The keys and list indexes that lead to a place in the configuration. */
export type Path = readonly string[];

/** A fault or a warning while its place is still an array of keys. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  /** See {@link Fault.code}. */
  readonly code?: FaultCode;
  /** The key beside this one that was meant. */
  readonly meant?: string;
  /** True for a key that nothing is known of here; it may be known at another place. */
  readonly isUnknown?: boolean;
}

const PLAIN_KEY = /^[^\s.[\]"]+$/;

/**
 * A path as a person would write it; the document tells list indexes from keys.
 *
 * @example pathText(['config', 'jobs', '0', 'params', 'page[size]'], document) // 'config.jobs[0].params["page[size]"]'
 */
export function pathText(path: Path, document: Json | undefined): string {
  let text = '';
  let place = document;
  for (const key of path) {
    if (isList(place)) text += `[${key}]`;
    else if (!PLAIN_KEY.test(key)) text += `[${JSON.stringify(nameOnly(key))}]`;
    else text += text === '' ? key : `.${key}`;
    place = child(place, key);
  }
  return text;
}

/** Findings without repetition, in the order in which their places stand in the document; absent keys come last. */
export function toFaults(findings: readonly Finding[], document: Json | undefined): readonly Fault[] {
  const ordered = [...findings].sort((a, b) => comparePlaces(a.path, b.path, document));
  const faults = ordered.map(({ path, message, code }) => ({
    path: pathText(path, document),
    message,
    ...(code === undefined ? {} : { code }),
  }));
  const seen = new Set<string>();
  return faults.filter(({ path, message }) => {
    const line = JSON.stringify([path, message]);
    if (seen.has(line)) return false;
    seen.add(line);
    return true;
  });
}

const child = (place: Json | undefined, key: string): Json | undefined => {
  if (isList(place)) return place[Number(key)];
  return isObject(place) ? ownValue(place, key) : undefined;
};

const positionOf = (place: Json | undefined, key: string): number => {
  if (isList(place)) return Number(key);
  const position = isObject(place) ? keysOf(place).indexOf(key) : -1;
  return position < 0 ? Number.MAX_SAFE_INTEGER : position;
};

function comparePlaces(a: Path, b: Path, document: Json | undefined): number {
  let place = document;
  for (const [at, key] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (key !== other) return positionOf(place, key) - positionOf(place, other);
    place = child(place, key);
  }
  return a.length - b.length;
}
