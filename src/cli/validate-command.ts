import { checkDestinations, destinationOf, readConfiguration, validate } from '../index';
import type { ReadConfiguration } from '../index';
import { loadComponents } from './components';
import { describe, EXIT, statusOf } from './exit-status';
import { environmentOf } from './environment';

export interface ValidateFlags {
  readonly lenient: boolean;
  readonly strict: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/** `headwater validate CONFIG`: every fault and every warning on standard error. Resolves to the exit status. */
export async function validateCommand(path: string, flags: ValidateFlags): Promise<number> {
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
    for (const { path: place, message } of all) process.stderr.write(`warning: ${place}: ${message}\n`);
    if (strict && all.length > 0) {
      process.stderr.write('The configuration is refused: with --strict, every warning is an error.\n');
      return EXIT.userError;
    }
    process.stdout.write(`The configuration is valid: ${jobs} ${jobs === 1 ? 'job' : 'jobs'}.\n`);
    return EXIT.success;
  } catch (failure) {
    const error = read?.located(failure) ?? failure;
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}
