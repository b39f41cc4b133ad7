import { checkDestinations, destinationOf, extract, validate } from '../index';
import { describe, EXIT, statusOf } from './exit-status';
import { readConfig } from './read-config';

export interface ValidateFlags {
  readonly lenient: boolean;
  readonly strict: boolean;
}

/** `headwater validate CONFIG`: every fault and every warning on standard error. Resolves to the exit status. */
export async function validateCommand(path: string, { lenient, strict }: ValidateFlags): Promise<number> {
  try {
    const config = await readConfig(path);
    const { jobs, warnings } = validate(config, { lenient });
    const { sinks, outputs } = extract(config, { lenient });
    // Nothing is opened: this reads their addresses.
    const made = sinks.map((url) => destinationOf(url)(outputs));
    const all = [...warnings, ...checkDestinations(made, outputs)];
    for (const { path: place, message } of all) process.stderr.write(`warning: ${place}: ${message}\n`);
    if (strict && all.length > 0) {
      process.stderr.write('The configuration is refused: with --strict, every warning is an error.\n');
      return EXIT.userError;
    }
    process.stdout.write(`The configuration is valid: ${jobs} ${jobs === 1 ? 'job' : 'jobs'}.\n`);
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}
