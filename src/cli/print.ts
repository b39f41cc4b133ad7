import { EXIT } from './exit-status';

/** A reader that went away before the end, as `head` does, is no defect. */
const readerGone = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  process.exitCode = EXIT.brokenPipe;
};

/** Prints on standard output, of whose errors it hears once, however often it prints. */
export function print(text: string): void {
  if (!process.stdout.listeners('error').includes(readerGone)) process.stdout.on('error', readerGone);
  process.stdout.write(text);
}
