import { EXIT } from './exit-status';

/** Prints on standard output. A reader that went away before the end, as `head` does, is no defect. */
export function print(text: string): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exitCode = EXIT.brokenPipe;
  });
  process.stdout.write(text);
}
