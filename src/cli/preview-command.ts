import { preview, readConfiguration, validate } from '../index';
import type { JsonObject, PreviewOptions, ReadConfiguration } from '../index';
import { loadComponents } from './components';
import { sealOfEnvironment } from './encryption-key';
import { environmentOf } from './environment';
import { describe, EXIT, statusOf } from './exit-status';
import { abortOnInterruption } from './interruption';
import { jsonText } from './json-text';
import { refuseOverwriting } from './own-files';
import { previewText } from './preview-text';
import { print } from './print';
import { replayFrom } from './recording-file';
import { filesRead } from './run/run-files';
import { readStateFile, saveStateFile } from './state-file';
import { terminalWidth } from './terminal';

export interface PreviewFlags {
  readonly job?: string;
  readonly pages: number;
  readonly format: 'text' | 'json';
  readonly state?: string;
  readonly replay?: string;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/** `headwater preview CONFIG`: a page of each job on standard output; nothing is stored. Resolves to the exit status. */
export async function previewCommand(path: string, flags: PreviewFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  let read: ReadConfiguration | undefined;
  try {
    const { job, pages, lenient, format } = flags;
    const components = await loadComponents(flags.components);
    read = await readConfiguration(path, { signal });
    const reading = { lenient, components, ...environmentOf(flags) };
    if (flags.state !== undefined) {
      const written = [{ what: '--state', path: flags.state }];
      refuseOverwriting(written, filesRead(flags, read, validate(read.configuration, reading)));
    }
    const looked = await preview(read.configuration, {
      ...{ pages, signal, ownConnections: true, ...reading },
      ...(job === undefined ? {} : { job }),
      ...(await stateOptions(flags.state)),
      ...(flags.replay === undefined ? {} : await replayFrom(flags.replay)),
    });
    print(format === 'json' ? jsonText(looked) : previewText(looked, terminalWidth()));
    return looked.jobs.some(({ state }) => state === 'failed') ? EXIT.userError : EXIT.success;
  } catch (failure) {
    const error: unknown = signal.aborted ? signal.reason : (read?.located(failure) ?? failure);
    process.stderr.write(`${error instanceof RangeError ? error.message : describe(error)}\n`);
    return error instanceof RangeError ? EXIT.userError : statusOf(error);
  } finally {
    forget();
  }
}

/** A login that replaces what it was made with must be kept, also where it was only for a look. */
async function stateOptions(file: string | undefined): Promise<Pick<PreviewOptions, 'state' | 'onCredentials'>> {
  if (file === undefined) return {};
  const seal = sealOfEnvironment();
  const onCredentials = (next: JsonObject): Promise<void> => saveStateFile(file, next, seal);
  return { state: await readStateFile(file, seal), onCredentials };
}
