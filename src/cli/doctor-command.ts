import { diagnose, readConfiguration } from '..';
import type { Diagnosis, ReadConfiguration } from '..';
import { loadComponents } from './components';
import { environmentOf } from './configurations';
import { describe, EXIT, statusOf } from './exit-status';
import { jsonText, marked, print, terminalWidth } from './output';

export interface DoctorFlags {
  readonly format: 'text' | 'json';
  readonly state?: string;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/** `headwater doctor [CONFIG]`: prints whether everything that a run needs is available. Resolves to the exit status. */
export async function doctorCommand(path: string | undefined, flags: DoctorFlags): Promise<number> {
  let read: ReadConfiguration | undefined;
  try {
    const { lenient, format, state } = flags;
    const components = await loadComponents(flags.components);
    if (path !== undefined) read = await readConfiguration(path);
    const found = await diagnose(read?.configuration, {
      ...{ lenient, components, ...environmentOf(flags) },
      ...(state === undefined ? {} : { stateFile: state }),
    });
    print(format === 'json' ? jsonText(found) : found.flatMap((each) => linesOf(each, terminalWidth())).join(''));
    return found.some(({ level }) => level === 'fault') ? EXIT.userError : EXIT.success;
  } catch (failure) {
    const error = read?.located(failure) ?? failure;
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}

const linesOf = ({ about, level, message, remedy }: Diagnosis, width: number): readonly string[] =>
  [
    ...marked(`${level.padEnd(LEVEL)}  `, `${about}: ${message}.`, width),
    ...(remedy === undefined ? [] : marked(' '.repeat(LEVEL + 2), remedy, width)),
  ].map((line) => `${line}\n`);

const LEVEL = 'optional'.length;
