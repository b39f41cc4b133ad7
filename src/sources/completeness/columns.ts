import { isList, isObject, keysOf } from '../../core/json/objects';
import type { Reply } from '../../core/model';
import type { JobPlan } from '../../plan/plan';

/** Returns the names of the columns of a response, if its format has columns and it has rows. */
export function columnsIn({ stream }: Pick<JobPlan, 'stream'>, reply: Reply): readonly string[] | undefined {
  if (reply.hasColumns !== true && stream?.format?.hasColumns !== true) return undefined;
  const [row] = isList(reply.data) ? reply.data : [];
  return isObject(row) ? keysOf(row) : undefined;
}

/** Returns whether rows share no column with the rows before: one is enough, since an API may add columns and leave others out. */
export const areOthers = (columns: readonly string[], before: readonly string[]): boolean =>
  !columns.some((name) => before.includes(name));
