/** Text for people: foreign text that is safe to print, numbers, and the name of a job. */
import type { JobRef } from './model';

/**
 * Control characters of terminals, line separators of some programs, and marks that reverse the direction of text; line
 * feeds and tabs are allowed.
 */
const INVISIBLE = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;
/** A line feed before a line that is not indented: such a line would look like a log entry. */
const STRANGE_LINE = /\n(?! {2}|\t)/g;

const written = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Returns a message with control characters escaped as in JSON. Only indented lines remain separate lines.
 *
 * @example visibleText('one\n  two\nthree') // 'one\n  two\\nthree'
 */
export const visibleText = (message: string): string =>
  message.replace(INVISIBLE, written).replace(STRANGE_LINE, '\\n');

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/**
 * Returns an integer with its thousands apart. `toLocaleString` loads tables that cost some 30 ms at its first call.
 *
 * @example grouped(1200) // '1,200'
 */
export const grouped = (count: number): string => String(count).replace(THOUSANDS, ',');

/** @example counted(1200, 'item') // '1,200 items' */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** The generated id of a job without one: a digest, which says nothing to a person. */
const DIGEST = /^[0-9a-f]{40}$/;

/**
 * Returns the `id` of a job that has one of its own, else its `dataType`, else its endpoint: never a digest.
 *
 * @example jobNameOf({ id: 'da39a3ee5e6b4b0d3255bfef95601890afd80709', dataType: 'user', endpoint: 'users' }) // 'user'
 */
export const jobNameOf = ({ id, dataType, endpoint }: Pick<JobRef, 'id' | 'dataType' | 'endpoint'>): string =>
  [DIGEST.test(id) ? '' : id, dataType].find((name) => name !== '') ?? endpoint;
