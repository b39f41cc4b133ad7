import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openStudio } from '../studio/studio';
import { loadComponents } from './components';
import { environmentOf } from './configurations';
import { describe, EXIT, Interruption, statusOf, abortOnInterruption } from './exit-status';
import { print } from './output';

export interface StudioFlags {
  readonly port: number;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/** The file of a new configuration. */
const FRESH = 'headwater.json';

/** `headwater studio [CONFIG]`: serves a page on 127.0.0.1, until Ctrl-C. Resolves to the exit status. */
export async function studioCommand(path: string = FRESH, flags: StudioFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  try {
    const components = await loadComponents(flags.components);
    const page = join(__dirname, '..', 'studio');
    const queries = join(__dirname, 'query-process.js');
    const { port, lenient } = flags;
    const studio = await openStudio({ path, page, queries, port, lenient, components, ...environmentOf(flags) });
    print(`The studio for ${path}${existsSync(path) ? '' : ' (a new file)'}:\n\n  ${studio.url}\n\nCtrl-C ends it.\n`);
    if (!signal.aborted) await once(signal, 'abort');
    await studio.close();
    const reason: unknown = signal.reason;
    return reason instanceof Interruption && reason.status === EXIT.interrupted ? EXIT.success : statusOf(reason);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  } finally {
    forget();
  }
}
