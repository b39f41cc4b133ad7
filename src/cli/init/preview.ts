import { firstValueFrom, take, toArray } from 'rxjs';
import { extract, printable, stringifyJson } from '../../index';
import type { Discovery } from '../../index';

const SHOWN = 3;
const LONGEST = 160;

/** Runs the configuration for its first page: how many items it has, and three of them. */
export async function previewOf({ runnable }: Discovery, signal: AbortSignal): Promise<string> {
  const [page] = await firstValueFrom(
    extract(runnable, { signal, completeness: 'off' }).pages$.pipe(take(1), toArray()),
  );
  if (page === undefined || page.count === 0) return 'The first page has no items.';
  const lines = page.items.slice(0, SHOWN).map((item) => {
    const text = printable(stringifyJson(item));
    return `  ${text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`}`;
  });
  return `The first page has ${page.count} ${page.count === 1 ? 'item' : 'items'}:\n${lines.join('\n')}\n`;
}
