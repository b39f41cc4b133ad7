import { FatalError, preview, validate } from '..';
import type { JsonObject, PreviewOptions } from '..';
import { lookAtEach } from './each-configuration';
import type { Looked } from './each-configuration';
import { sealOfEnvironment } from './encryption-key';
import { environmentOf } from './environment';
import { EXIT } from './exit-status';
import { abortOnInterruption } from './interruption';
import { nameIn } from './name-in';
import { refuseOverwriting } from './own-files';
import { previewText } from './preview-text';
import { printJson, printUnder } from './print-of-each';
import { replayFrom, unsetIn } from './recording-file';
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

/** `headwater preview CONFIG…`: a page of each job on standard output; nothing is stored. Resolves to the exit status, the worst of all. */
export async function previewCommand(paths: readonly string[], flags: PreviewFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  try {
    const { components, state } = flags;
    return await lookAtEach(paths, { signal, components, own: { '--state': state } }, (looked) =>
      previewOne(looked, flags, signal),
    );
  } finally {
    forget();
  }
}

async function previewOne(
  { path, read, components, name }: Looked,
  flags: PreviewFlags,
  signal: AbortSignal,
): Promise<number> {
  const { job, pages, lenient, format, replay } = flags;
  const reading = { lenient, components, ...environmentOf(flags), ...unsetIn(flags) };
  const state = flags.state === undefined ? undefined : nameIn(flags.state, path);
  if (state !== undefined) {
    const written = [{ what: '--state', path: state }];
    refuseOverwriting(written, filesRead(flags, read, validate(read.configuration, reading)));
  }
  const looked = await preview(read.configuration, {
    ...{ pages, signal, ownConnections: true, ...reading },
    ...(job === undefined ? {} : { job }),
    ...(await stateOptions(state)),
    ...(replay === undefined ? {} : await replayFrom(nameIn(replay, path))),
  }).catch((error: unknown) => {
    throw error instanceof RangeError ? new FatalError('CONFIG_INVALID', error.message) : error;
  });
  if (format === 'json') printJson(name, looked);
  else printUnder(name, previewText(looked, terminalWidth()));
  return looked.jobs.some((one) => one.state === 'failed') ? EXIT.userError : EXIT.success;
}

/** A login that replaces what it was made with must be kept, also where it was only for a look. */
async function stateOptions(file: string | undefined): Promise<Pick<PreviewOptions, 'state' | 'onCredentials'>> {
  if (file === undefined) return {};
  const seal = sealOfEnvironment();
  const onCredentials = (next: JsonObject): Promise<void> => saveStateFile(file, next, seal);
  return { state: await readStateFile(file, seal), onCredentials };
}
