import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../temporal';
import { openStudio } from '../studio/studio';
import { loadComponents } from './components';
import { placeIn } from './cluster-place';
import { environmentOf } from './configurations';
import { describe, EXIT, Interruption, statusOf, abortOnInterruption } from './exit-status';
import { print } from './output';

export interface StudioFlags {
  readonly port: number;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly temporal?: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** The file of a new configuration. */
const FRESH = 'headwater.json';

/** `headwater studio [CONFIG…]`: serves a page for each file on 127.0.0.1, until Ctrl-C. Resolves to the exit status. */
export async function studioCommand(paths: readonly string[], flags: StudioFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  const studios: Awaited<ReturnType<typeof openStudio>>[] = [];
  const { temporal: address, namespace, taskQueue } = flags;
  let runs: Cluster | undefined;
  try {
    const components = await loadComponents(flags.components);
    const page = join(__dirname, '..', 'studio');
    const queries = join(__dirname, 'query-process.js');
    const { port, lenient } = flags;
    // A studio without a cluster does not load what clusters need.
    if (address !== undefined)
      runs = await (await import('../temporal.js')).cluster(placeIn({ temporal: address, namespace, taskQueue }));
    const watched = address === undefined || runs === undefined ? {} : { cluster: { address, runs } };
    const settings = { page, queries, lenient, components, ...environmentOf(flags), ...watched };
    for (const [at, path] of (paths.length === 0 ? [FRESH] : paths).entries()) {
      const studio = await openStudio({ ...settings, path, port: port === 0 ? 0 : port + at });
      studios.push(studio);
      print(`The studio for ${path}${existsSync(path) ? '' : ' (a new file)'}:\n\n  ${studio.url}\n\n`);
    }
    print(`Ctrl-C ends ${studios.length === 1 ? 'it' : 'them'}.\n`);
    if (!signal.aborted) await once(signal, 'abort');
    const reason: unknown = signal.reason;
    return reason instanceof Interruption && reason.status === EXIT.interrupted ? EXIT.success : statusOf(reason);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  } finally {
    await Promise.all(studios.map((studio) => studio.close()));
    await runs?.close();
    forget();
  }
}
