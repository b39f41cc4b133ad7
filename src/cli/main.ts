#!/usr/bin/env node
import { describe, EXIT } from './exit-status';
import { program } from './program';

program((status) => {
  // Not process.exit: what is written to standard output must arrive first.
  process.exitCode = status;
})
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = EXIT.programError;
  });
