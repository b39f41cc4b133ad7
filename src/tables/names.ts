/** Names that every store of tables accepts (docs/language/tables.md#names-of-columns). */
import { createHash } from 'node:crypto';

const LONGEST = 64;

/** Returns a name as its UTF-8 bytes, one character for each: lengths and replacements count bytes. */
export const bytesOf = (name: string): string => Buffer.from(name, 'utf8').toString('latin1');

/** Returns the MD5 digest of bytes as hexadecimal digits: part of the naming rules, not a protection. */
export const md5 = (bytes: string): string => createHash('md5').update(bytes, 'latin1').digest('hex');

/** Replaces everything but letters, digits and hyphens by `_`. */
export const withoutSpecials = (bytes: string): string => bytes.replace(/[^A-Za-z0-9-]/g, '_');

/** Returns a name of at most 64 bytes: initials or a digest, then the words at the end that fit. */
export function shortened(bytes: string): string {
  if (bytes.length <= LONGEST) return bytes;
  const words =
    bytes
      .replace(/^-+/, '')
      .replace(/-$/, '')
      .match(/[A-Za-z-]+/g) ?? [];
  const initials = (bytes.match(/\b\w/g) ?? []).join('');
  const short = `${words.length > 1 ? initials : md5(bytes)}_`;
  const rest = bytes.indexOf('_', bytes.length - (LONGEST - short.length));
  return rest < 0 ? short : short + bytes.slice(rest);
}

/** Replaces runs of `_` by one, and removes them at the ends. */
const tidy = (name: string): string => name.replace(/_+/g, '_').replace(/^_|_$/g, '');

/**
 * Returns the safe name of a table or of a parent or user column.
 *
 * @example safeName('orders/{order-id}/lines') // 'orders_order-id_lines'
 */
export const safeName = (name: string): string => tidy(shortened(withoutSpecials(bytesOf(name))));

/** Returns the safe name of a column of data; it may be empty. */
export const safeColumnName = (name: string): string => safeName(`___${name}`);

/**
 * Returns the name itself, or with `_u0`, `_u1`, … if it is taken or empty (docs/language/tables.md#names-of-columns).
 *
 * @param numbers the first number to try, by name; for many names and a set that only grows
 * @example uniqueName('a', new Set(['a'])) // 'a_u0'
 */
export const uniqueName = (name: string, taken: ReadonlySet<string>, numbers?: Map<string, number>): string =>
  name === '' || taken.has(name) ? numberedName(name, taken, numbers) : name;

/** Returns the first of `<name>_u0`, `<name>_u1`, … that is free. */
export function numberedName(name: string, taken: ReadonlySet<string>, numbers?: Map<string, number>): string {
  let number = numbers?.get(name) ?? 0;
  while (taken.has(`${name}_u${number}`)) number += 1;
  numbers?.set(name, number);
  return `${name}_u${number}`;
}

/**
 * Returns a name that is free: the wanted one, or the first of `<name>_2`, `<name>_3`, … that is.
 *
 * @example freeName('row', isAmong(['id', 'Row'])) // 'row_2'
 */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let free = wanted;
  for (let number = 2; isTaken(free); number += 1) free = `${wanted}_${number}`;
  return free;
}

/** Returns a name that databases accept: they take no empty names, no NUL and no unpaired surrogates. */
export const storableName = (name: string): string =>
  name === '' ? '_' : name.toWellFormed().replaceAll('\0', '\uFFFD');

/** Taken names, ignoring case, since databases do not distinguish `Id` from `id`. */
export class Names {
  readonly #taken = new Set<string>();

  /** Returns the name, or the first of `<name>_2`, `<name>_3`, … that is free. */
  claim(name: string): string {
    return freeName(storableName(name), (free) => !this.take(free));
  }

  /** @returns whether it was free */
  take(name: string): boolean {
    const folded = name.toLowerCase();
    if (this.#taken.has(folded)) return false;
    this.#taken.add(folded);
    return true;
  }

  release(name: string): void {
    this.#taken.delete(name.toLowerCase());
  }
}

/** Returns whether a name is one of these for a database, which does not distinguish `Row` from `row`. */
export function isAmong(names: readonly string[]): (name: string) => boolean {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  return (name) => taken.has(name.toLowerCase());
}
