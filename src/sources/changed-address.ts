/** Values of placeholders that make another address of an endpoint than the one that is meant (docs/language/jobs.md#placeholders). */
import type { Report } from '../core/events';
import type { JobPlan } from '../plan/plan';
import type { Call } from './call';
import type { PlaceholderBinding } from './placeholders';

const WRITTEN = /\{([^{}]+)\}/g;
/** What is encoded already: a `%` belongs to an escape, and nothing else needs one. */
const ENCODED = /^(?:[\w\-.~/]|%[0-9a-f]{2})*$/i;
const DOTS = /^(?:\.|%2e){1,2}$/i;

const ENCODE = 'Let the function rawurlencode encode it';
const LEAVE_OUT = 'If such items are not meant, leave them out by "recursionFilter"';

/** How to warn, and of what a run has warned: absent, it is told each time. */
export interface Telling {
  readonly report: Report;
  readonly toldOnce?: Set<string>;
}

/**
 * Warns, once a job, of a value that changes the address it is put into: with `#`, `?` or `%`, of `.` or `..`, or an empty one.
 * The request is sent all the same, since values go in as they are.
 */
export function tellOfChangedAddress(
  { id, path, endpoint, dataType }: JobPlan,
  { report, toldOnce }: Telling,
  { bindings }: Call,
): void {
  if (bindings.size === 0) return;
  for (const { 0: written, 1: name = '', index } of endpoint.matchAll(WRITTEN)) {
    const binding = bindings.get(name);
    if (binding === undefined) continue;
    const before = endpoint.slice(0, index);
    const what = change(binding, before, endpoint.slice(index + written.length));
    const key = `${id} ${name}`;
    if (what === undefined || toldOnce?.has(key) === true) continue;
    toldOnce?.add(key);
    const message = `${path}.endpoint: a value of ${written} ${what}.`;
    report({ type: 'warning', code: 'PLACEHOLDER_CHANGES_URL', message, job: { id, path, endpoint, dataType } });
  }
}

/** How a value changes the address between what stands before it and behind it; `undefined` where it does not. */
function change({ text, isComputed }: PlaceholderBinding, before: string, after: string): string | undefined {
  if (text === '') return `is empty, and the address is that of something else. ${LEAVE_OUT}`;
  // An endpoint that begins with a value gets a path or an address from the API.
  if (before === '') return undefined;
  const inQuery = before.includes('?');
  if (!inQuery && isStepAside(text, before, after))
    return `is "." or "..", or has it as a part of its path, and the address leads elsewhere. ${LEAVE_OUT}`;
  if (text.includes('#')) return `has "#", and what follows it is not sent. ${ENCODE}`;
  if (inQuery && text.includes('&')) return `has "&", and what follows it is another parameter. ${ENCODE}`;
  if (!inQuery && /\?(?![^=?]+=)/.test(text)) return `has "?", and what follows it is no part of the path. ${ENCODE}`;
  if (isComputed !== true && text.includes('%') && !ENCODED.test(text))
    return `has "%", which begins a character that is encoded. ${ENCODE}`;
  return undefined;
}

/** This tells whether a segment of the path becomes `.` or `..` by a value. */
function isStepAside(text: string, before: string, after: string): boolean {
  const plain = (part: string): string => part.replace(WRITTEN, 'x').replace(/[?#].*$/s, '');
  const segments = (value: string): number =>
    `${plain(before)}${value}${plain(after)}`.split('/').filter((each) => DOTS.test(each)).length;
  return segments(text) > segments('x');
}
