import { EXIT, describe } from './exit-status';
import { program } from './program';

/** Does what the command line of the process says, and sets its exit status. */
export async function command(): Promise<void> {
  process.once('beforeExit', reportNoResult);
  try {
    await program((status) => {
      process.off('beforeExit', reportNoResult);
      // Not process.exit, since the output has to be written first.
      process.exitCode = status;
    }).parseAsync();
  } catch (error) {
    process.off('beforeExit', reportNoResult);
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = EXIT.programError;
  }
}

/** Reports a process that ends without a result: it would otherwise end with status 0. */
function reportNoResult(): void {
  process.stderr.write('Program error: the run ended without a result.\n');
  process.exitCode = EXIT.programError;
}
