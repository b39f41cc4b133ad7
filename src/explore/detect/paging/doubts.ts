/** What makes a way of paging doubtful, although it was seen at work. */
import type { JsonObject } from '../../../core/model';
import { OFFSET_PARAMS, PAGE_PARAMS } from './names';
import { quoted, type Seen } from './sign';
import { moreFlag } from './tokens';

const OFFSETS: ReadonlySet<string> = new Set(OFFSET_PARAMS.map(([offset]) => offset));

/** An address that was copied from the middle of a list: what comes before is not requested. */
export function laterStart({ asked }: Pick<Seen, 'asked'>): string | undefined {
  const later = [...asked].find(
    ([name, value]) =>
      (PAGE_PARAMS.includes(name) && /^(?:[2-9]|\d{2,9})$/.test(value)) ||
      (OFFSETS.has(name) && /^[1-9]\d{0,9}$/.test(value)),
  );
  return later === undefined
    ? undefined
    : `The address begins with ${later[0]}=${later[1]}: what the API has before that is not requested. Leave it out, unless that is meant.`;
}

/** A flag that is a string ends no pages, so that positions go on until a page has no items. */
export function textFlag(seen: Seen, pagination: JsonObject | undefined): string | undefined {
  const flag = moreFlag(seen);
  if (flag?.isText !== true || pagination === undefined) return undefined;
  if (pagination['method'] !== 'pagenum' && pagination['method'] !== 'offset') return undefined;
  return (
    `${quoted(flag.keys)} is a string and ends no pages: a run goes on until a page has no items, and fails with PAGE_REPEATED where the API ` +
    `gives its last page again.`
  );
}
