#!/usr/bin/env node
import { describe, EXIT } from './exit-status';
import { program } from './program';

// A process that has nothing left to wait for ends with status 0: until there is a result, that would be a lie.
const noResult = (): void => {
  process.stderr.write('Program error: the run ended without a result.\n');
  process.exitCode = EXIT.programError;
};
process.once('beforeExit', noResult);

program((status) => {
  process.off('beforeExit', noResult);
  // Not process.exit: what is written to standard output must arrive first.
  process.exitCode = status;
})
  .parseAsync()
  .catch((error: unknown) => {
    process.off('beforeExit', noResult);
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = EXIT.programError;
  });
