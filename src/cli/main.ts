#!/usr/bin/env node
import { describe, EXIT } from './exit-status';
import { program } from './program';

// Reports a process that ends without a result: it would otherwise end with status 0.
const noResult = (): void => {
  process.stderr.write('Program error: the run ended without a result.\n');
  process.exitCode = EXIT.programError;
};
process.once('beforeExit', noResult);

program((status) => {
  process.off('beforeExit', noResult);
  // Not process.exit, since the output has to be written first.
  process.exitCode = status;
})
  .parseAsync()
  .catch((error: unknown) => {
    process.off('beforeExit', noResult);
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = EXIT.programError;
  });
