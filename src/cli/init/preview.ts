import { printable, stringifyJson } from '../../index';
import type { Discovery } from '../../index';

const SHOWN = 3;
const LONGEST = 160;

/** Three of the items that the engine has given while paging was tried, or that the first response has. */
export function previewOf({ items }: Pick<Discovery, 'items'>): string {
  if (items.length === 0) return 'The response has no items.';
  const lines = items.slice(0, SHOWN).map((item) => {
    const text = printable(stringifyJson(item));
    return `  ${text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`}`;
  });
  const count = items.length === 1 ? 'The only item' : `The first of ${items.length} items`;
  return `${count} of the pages that were seen:\n${lines.join('\n')}\n`;
}
