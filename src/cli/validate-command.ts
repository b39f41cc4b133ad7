import { checkDestinations, destinationOf, extract, validate } from '../index';
import { describe, EXIT, statusOf } from './exit-status';
import { readConfig } from './read-config';

/** `headwater validate CONFIG`: every fault and every warning on standard error. Resolves to the exit status. */
export async function validateCommand(path: string): Promise<number> {
  try {
    const config = await readConfig(path);
    const { jobs, warnings } = validate(config);
    const { sinks, outputs } = extract(config);
    // Nothing is opened: this reads their addresses.
    const made = sinks.map((url) => destinationOf(url)(outputs));
    for (const { path: place, message } of [...warnings, ...checkDestinations(made, outputs)])
      process.stderr.write(`warning: ${place}: ${message}\n`);
    process.stdout.write(`The configuration is valid: ${jobs} ${jobs === 1 ? 'job' : 'jobs'}.\n`);
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}
