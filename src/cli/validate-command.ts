import { validate } from '../index';
import { describe, EXIT, statusOf } from './exit-status';
import { readConfig } from './read-config';

/** `headwater validate CONFIG`: every fault and every warning on standard error. Resolves to the exit status. */
export async function validateCommand(path: string): Promise<number> {
  try {
    const { jobs, warnings } = validate(await readConfig(path));
    for (const { path: place, message } of warnings) process.stderr.write(`warning: ${place}: ${message}\n`);
    process.stdout.write(`The configuration is valid: ${jobs} ${jobs === 1 ? 'job' : 'jobs'}.\n`);
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}
