import { EXIT, describe } from './exit-status';
import { program } from './program';

/** Does what the command line of the process says, and ends the process with its exit status. */
export async function command(): Promise<void> {
  process.once('beforeExit', reportNoResult);
  try {
    await program((status) => {
      process.off('beforeExit', reportNoResult);
      process.exitCode = status;
    }).parseAsync();
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = EXIT.programError;
  }
  if (process.exitCode === undefined) reportNoResult();
  // A run has told its success: nothing that is still open, such as a connection, may delay the status that says so as well.
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit();
}

/** Resolves when the stream has passed on what was written to it. What an earlier write met, such as a reader that is gone, is told before. */
const written = (stream: NodeJS.WriteStream): Promise<unknown> =>
  new Promise((resolve) => {
    stream.once('error', resolve);
    stream.write('', resolve);
  });

/** Reports a process that ends without a result: it would otherwise end with status 0. */
function reportNoResult(): void {
  process.stderr.write('Program error: the run ended without a result.\n');
  process.exitCode = EXIT.programError;
}
