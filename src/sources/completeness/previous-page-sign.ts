import { isBlankData } from '../../core/json/blank';
import type { Reply } from '../../core/model';
import { linkTo } from '../../core/url/link-header';
import { memberOf } from './next-page-sign';
import type { Sign } from './next-page-sign';

/** Keys at which APIs give the address of the page before. */
const PREVIOUS_KEYS: ReadonlySet<string> = new Set([
  ...['previous', 'prev', 'previouspage', 'prevpage', 'previousurl', 'prevurl', 'previouslink', 'prevlink'],
  ...['previouspageurl', 'prevpageurl', 'previouspagelink'],
]);
/** Keys whose value `true` says that there is a page before, and those whose value `false` says so. */
const BEFORE_KEYS: ReadonlySet<string> = new Set([
  ...['hasprevious', 'hasprev', 'haspreviouspage', 'hasprevpage', 'previous', 'prev'],
]);
const FIRST_KEYS: ReadonlySet<string> = new Set(['first', 'isfirst', 'isfirstpage']);

/**
 * What in a response says that there is a page before it.
 *
 * @param path the keys that lead to the items
 * @example previousPageSign(reply, ['content']) // { where: '"first" in the body', at: ['first'], isFlag: true }
 */
export function previousPageSign(reply: Reply, path: readonly string[]): Sign | undefined {
  const flag = memberOf(reply, path, (key, value) =>
    value === true || value === 'true'
      ? BEFORE_KEYS.has(key)
      : (value === false || value === 'false') && FIRST_KEYS.has(key),
  );
  if (flag !== undefined) return { ...flag, isFlag: true };
  if (['prev', 'previous'].some((relation) => linkTo(relation, reply.response.headers['link'] ?? []) !== undefined))
    return { where: 'a header Link with rel="prev"', isFlag: false };
  const address = memberOf(
    reply,
    path,
    (key, value) => PREVIOUS_KEYS.has(key) && typeof value === 'string' && !isBlankData(value) && value.trim() !== '',
  );
  return address === undefined ? undefined : { ...address, isFlag: false };
}
