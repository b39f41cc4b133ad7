import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Close = () => unknown;

/** What is open, the last one opened at the end. */
const open = new Set<() => Promise<void>>();

// A test that fails does not come to the end of its body: what it has opened would keep jest waiting for ever.
if (typeof afterAll === 'function')
  afterAll(async () => {
    for (const close of [...open].reverse()) await close();
  });

/**
 * Sees to it that something is closed when the specs of a file are over, if nobody has closed it by then.
 *
 * @returns closes it, once however often it is called
 */
export function closedInTheEnd(close: Close): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const once = (): Promise<void> => {
    open.delete(once);
    closing ??= Promise.resolve(close()).then(() => undefined);
    return closing;
  };
  open.add(once);
  return once;
}

/** Makes a folder, which is gone when the specs of a file are over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
  closedInTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
