/** What tells of rows which run and which page brought them. */
import { ConfigurationError } from '../../core/errors/errors';
import type { DurableSink } from '../../core/durable-sink';
import type { Page } from '../../core/model';
import type { PageStamp } from '../../core/evidence';

/** Gives each page a stamp. */
export async function* stampedPages(pages: AsyncIterable<Page>, run: string): AsyncGenerator<Page, void, void> {
  for await (const page of pages) yield stamped(page, run);
}

/**
 * A page with a stamp.
 *
 * @param run the id of the run
 * @example stamped(page, 'r').stamp // { run: 'r', page: 1, extractedAt: '2024-06-01T12:00:00.000Z' }
 */
export function stamped(page: Page, run: string): Page {
  const { receivedAt = Date.now() } = page.reply.response;
  const stamp: PageStamp = { run, page: page.index + 1, extractedAt: new Date(receivedAt).toISOString() };
  // A copy would parse the items.
  return Object.create(page, { stamp: { value: stamp, enumerable: true } }) as Page;
}

/** @throws ConfigurationError where a destination has no rows for the columns of the run */
export function checkRunColumns(sinks: readonly DurableSink[]): void {
  const without = sinks.filter(({ addsRunColumns = false }) => !addsRunColumns).map(({ name }) => name);
  if (without.length === 0) return;
  const message =
    `${[...new Set(without)].join(', ')} does not add the columns _run_id, _page and _extracted_at: tables in databases and ` +
    'folders have them. Name such destinations only, or leave these columns out.';
  throw new ConfigurationError([{ path: 'runColumns', message }]);
}
