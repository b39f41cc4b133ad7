/** The workflow as the sandbox of Temporal takes it: packed into one string, which is kept for the next worker. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Packs a file, with what it requires, as the package `@temporalio/worker` does it. */
export type Pack = (path: string) => Promise<string>;

/**
 * Returns a packed workflow. To pack it takes seconds of CPU: it is kept in the folder `.cache` beside the file, and packed again where
 * that folder cannot be written. Whoever can write the cache can write the file: it needs no more trust than this.
 *
 * @param path the file of the workflow
 * @param version the version of what packs it
 * @example await workflowBundle('dist/cluster/workflow.js', '1.24.0', pack)
 */
export async function workflowBundle(path: string, version: string, pack: Pack): Promise<string> {
  const kept = join(dirname(path), '.cache', `workflow-${version}-${crc32(readFileSync(path)).toString(16)}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const code = await pack(path);
    keep(kept, code);
    return code;
  }
}

/** Writes a file at once for those who read it; does without where that is not allowed. */
function keep(path: string, content: string): void {
  const part = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(part, content);
    renameSync(part, path);
  } catch {
    // The next worker packs it again.
  }
}
