import { checkDestinations, destinationOf, readConfiguration, validate } from '../index';
import type { ReadConfiguration } from '../index';
import { loadComponents } from './components';
import { describe, EXIT, statusOf } from './exit-status';
import { environmentOf } from './environment';
import { refuseSameFiles } from './same-files';

export interface ValidateFlags {
  readonly lenient: boolean;
  readonly strict: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/** `headwater validate CONFIG…`: every fault and every warning on standard error. Resolves to the exit status, the worst of all. */
export async function validateCommand(paths: readonly string[], flags: ValidateFlags): Promise<number> {
  try {
    refuseSameFiles(paths);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
  let worst: number = EXIT.success;
  for (const path of paths)
    worst = Math.max(worst, await validateOne(path, flags, paths.length > 1 ? `${path}: ` : ''));
  return worst;
}

/** @param label stands before what is said of the configuration */
async function validateOne(path: string, flags: ValidateFlags, label: string): Promise<number> {
  const { lenient, strict } = flags;
  let read: ReadConfiguration | undefined;
  try {
    const components = await loadComponents(flags.components);
    read = await readConfiguration(path);
    const { jobs, warnings, sinks, outputs } = validate(read.configuration, {
      lenient,
      components,
      ...environmentOf(flags),
    });
    // Nothing is opened: this reads their addresses.
    const made = sinks.map((url) => destinationOf(url, { components })(outputs));
    const all = [...warnings, ...checkDestinations(made, outputs)];
    for (const { path: place, message } of all) process.stderr.write(`${label}warning: ${place}: ${message}\n`);
    if (strict && all.length > 0) {
      process.stderr.write(`${label}The configuration is refused: with --strict, every warning is an error.\n`);
      return EXIT.userError;
    }
    process.stdout.write(`${label}The configuration is valid: ${jobs} ${jobs === 1 ? 'job' : 'jobs'}.\n`);
    return EXIT.success;
  } catch (failure) {
    const error = read?.located(failure) ?? failure;
    process.stderr.write(`${label}${describe(error)}\n`);
    return statusOf(error);
  }
}
