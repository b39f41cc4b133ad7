import type { Log } from '../..';

/** Milliseconds after which a person wonders whether an interruption was heard. */
const SOON = 1000;

/** Says of a run that was interrupted, and takes a while to end in order, that it does so. Returns what ends it. */
export function tellThatItEnds(signal: AbortSignal, log: Log): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupted = (): void => {
    timer = setTimeout(() => log.log('info', ENDS), SOON);
    timer.unref();
  };
  signal.addEventListener('abort', interrupted, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupted);
  };
}

const ENDS = 'The run ends in order: what has arrived is made safe. Ctrl-C once more ends it at once.';
