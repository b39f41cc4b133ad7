import type { Doubt } from '../../core/evidence';
import { isList, isObject, keysOf } from '../../core/json/keys';
import type { Reply } from '../../core/model';
import type { JobPlan } from '../../plan/plan';

/** The names of the columns of a response, where its format has columns and it has rows. */
export function columnsIn({ stream }: Pick<JobPlan, 'stream'>, reply: Reply): readonly string[] | undefined {
  if (reply.hasColumns !== true && stream?.format?.hasColumns !== true) return undefined;
  const [row] = isList(reply.data) ? reply.data : [];
  return isObject(row) ? keysOf(row) : undefined;
}

/** This tells whether rows have no column of the rows before: one in common is enough, since an API may add columns and leave others out. */
export const areOthers = (columns: readonly string[], before: readonly string[]): boolean =>
  !columns.some((name) => before.includes(name));

/**
 * The doubt about a page whose columns have none of the names that the columns of the rows before have: an API that writes the header
 * only above the first page has its first row on each other page taken for one, and lost.
 */
export function otherColumns(
  { endpoint }: Pick<JobPlan, 'endpoint'>,
  pages: number,
  columns: readonly string[] | undefined,
  before: readonly string[] | undefined,
): Doubt | undefined {
  if (columns === undefined || before === undefined || before.length === 0 || !areOthers(columns, before))
    return undefined;
  const message =
    `Page ${pages + 1} of ${endpoint} has the columns ${shown(columns)}, and none of those of the rows before, ${shown(before)}: its first row ` +
    `seems to have been taken for a header, and is missing as a row. ${remedy(before)}`;
  return { code: 'COLUMNS_DIFFER', level: 'error', message };
}

/** The doubt about a job of whose calls some have columns of quite other names than the first one. */
export function callsOfOtherColumns(
  { endpoint }: Pick<JobPlan, 'endpoint'>,
  isChild: boolean,
  calls: number,
  columns: readonly string[],
  first: readonly string[],
): Doubt {
  const which = calls === 1 ? `A call of ${endpoint} has` : `${calls} calls of ${endpoint} have`;
  const message =
    `${which} columns (${calls === 1 ? '' : 'in the first case '}${shown(columns)}) without a name that those of another call have, ${shown(first)}: a first row ` +
    `seems to have been taken for a header, and is missing as a row. ${remedy(first)}`;
  // What a parent item leads to may be a table of its own.
  return { code: 'COLUMNS_DIFFER', level: isChild ? 'warning' : 'error', message };
}

const remedy = ([name = '']: readonly string[]): string =>
  `If there is no header above each page, name the columns in format.header, and leave the one header out of the items by ` +
  `"exclude", such as ${JSON.stringify(`${name}==${name}`)}.`;

/** More names help nobody. */
const MOST_NAMES = 5;

const shown = (names: readonly string[]): string =>
  names
    .slice(0, MOST_NAMES)
    .map((name) => JSON.stringify(name))
    .join(', ') + (names.length > MOST_NAMES ? ', …' : '');
