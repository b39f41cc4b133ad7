/** How far a stream has come while it is being read: only what is behind the end of a call counts. */
import { withMember } from '../../../core/json/literals';
import { objectFrom, ownValue } from '../../../core/json/objects';
import { furthest, isEarlier } from '../../../core/json/order';
import type { Json, JsonObject, Page } from '../../../core/model';
import { momentIn } from '../../../language/jinja/dates';
import { CURSORS, cursorsOf } from '../../../run/state/cursors';
import { streamState } from './state';
import type { StreamCursor } from './state';

/** The state of a stream that is being read. */
export interface OnTheWay {
  /** Adds a page. */
  readonly add: (page: Page) => void;
  /** Returns whether a state is due: it says more than the last one, and enough has come since. */
  readonly isDue: () => boolean;
  /** Returns the state of Airbyte behind which nothing is missing; `undefined` if the last one said the same. */
  readonly taken: () => JsonObject | undefined;
}

/** The records between two states; a page counts as some of them, and so does a partition, which makes states longer. */
const RECORDS = 1000;
const OF_A_PAGE = 20;

/**
 * Follows the calls of a stream. A partition without windows has come to its furthest record when its call is over; one with windows to the
 * end of those that are over, if all before them are.
 *
 * @param state the state that the run goes on from
 * @param cursors those of the stream and of its parents, which stay where they are
 * @returns `undefined` where only the whole stream has a position
 */
export function createOnTheWay(state: JsonObject, cursors: readonly StreamCursor[]): OnTheWay | undefined {
  const at = cursors.findIndex(({ isParent }) => !isParent);
  const cursor = cursors[at];
  if (cursor === undefined || cursor.isGlobal) return undefined;
  const { job, format } = cursor;
  const reached = new Map(cursorsOf(state).get(job));
  const open = new Map<string, { readonly parent: string; readonly value: Json }>();
  const windowsOver = new Map<string, number>();
  let [since, isFurther] = [0, false];
  const end = (call: readonly number[], to: string | undefined): void => {
    const key = call.join('.');
    const found = open.get(key);
    open.delete(key);
    const [above, window = 0] = [call.slice(0, -1).join('.'), call.at(-1)];
    if (to !== undefined && window !== (windowsOver.get(above) ?? 0)) return;
    windowsOver.set(above, window + 1);
    if (found === undefined) return;
    const { parent, value } = found;
    const last = to === undefined ? value : momentIn(to, [format]).in(0).iso();
    const come = isEarlier(last, value) ? last : value;
    if (reached.has(parent) && !isEarlier(reached.get(parent), come)) return;
    reached.set(parent, come);
    isFurther = true;
  };
  return {
    add: (page) => {
      since += page.count + OF_A_PAGE;
      if (page.job.id !== job) return;
      const {
        cursor: own,
        evidence,
        checkpoint,
        job: { placeholders = {} },
      } = page;
      const key = checkpoint.call.join('.');
      if (own !== undefined)
        open.set(key, { parent: own.parent, value: furthest(open.get(key)?.value, own.value) ?? own.value });
      if (checkpoint.position === undefined && evidence?.stopped !== true)
        end(checkpoint.call, placeholders['window.to']);
    },
    isDue: () => isFurther && since >= RECORDS + OF_A_PAGE * reached.size,
    taken: () => {
      if (!isFurther) return undefined;
      [since, isFurther] = [0, false];
      const jobs = ownValue(state, CURSORS) as JsonObject;
      return streamState({ [CURSORS]: withMember(jobs, job, objectFrom(reached)) }, at, cursors, false);
    },
  };
}
