import { jsonPathOf } from '../core/json/json-path';
import { exactValueAt, valueAt } from '../core/json/path';
import { sameJson } from '../core/json/same';
import type { Json, Reply } from '../core/model';

/**
 * The value at a path of a response (docs/language/README.md#paths): where the path leads past the items, they need not
 * be parsed for it.
 *
 * @returns `undefined` when a step is missing
 * @example replyValue(reply, 'links.next')
 */
export function replyValue(reply: Reply, path: string, delimiter = '.'): Json | undefined {
  return valueAt(dataFor(reply, path, delimiter), path, delimiter);
}

/** As {@link replyValue}; a number that JavaScript cannot hold is the string of its digits. */
export const exactReplyValue = (reply: Reply, path: string): Json | undefined =>
  exactValueAt(dataFor(reply, path, '.'), path);

function dataFor(reply: Reply, path: string, delimiter: string): Json | undefined {
  if (jsonPathOf(path, delimiter) !== undefined) return reply.data;
  const steps = path === delimiter ? [] : path.split(delimiter);
  const passesItems = reply.raw?.path.some((key, at) => at < steps.length && steps[at] !== key) === true;
  return passesItems ? reply.raw.around() : reply.data;
}

/** What a response says beside its items; where these were not found in its bytes, all that it says. */
export const aroundItems = (reply: Reply): Json | undefined =>
  reply.raw === undefined ? reply.data : reply.raw.around();

/** Whether two responses have equal data (docs/language/pagination.md#equal-pages); mostly their first items tell. */
export function sameReplies(a: Reply, b: Reply): boolean {
  if (a.raw !== undefined && b.raw !== undefined) {
    if (Buffer.compare(a.response.body, b.response.body) === 0) return true;
    if (a.raw.path.length === b.raw.path.length && a.raw.count !== b.raw.count) return false;
    if (!sameJson(a.raw.first(), b.raw.first())) return false;
  }
  return sameJson(a.data, b.data);
}
