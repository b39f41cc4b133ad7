/** How often something is done while pages come. */
export interface Pace {
  /** A page has come: what is due is done now, or soon, also where no other page comes. */
  readonly pageCame: () => Promise<void>;
  /** Waits for what is being done, and does no more until another page comes. */
  readonly stop: () => Promise<void>;
}

/** So much of the time at most is spent on it: one part in five. */
const SHARE = 4;

/**
 * A pace that leaves most of the time to the pages: after work that took long, the next waits longer.
 *
 * @param work is never done twice at once; `pageCame` throws what it has thrown
 * @param every seconds at least from the end of one to the beginning of the next; 0: it is done at each page
 * @example createPace(() => showPages(), 1)
 */
export function createPace(work: () => Promise<void>, every = 1): Pace {
  let due: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  const disarm = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const doWork = async (): Promise<void> => {
    const began = performance.now();
    try {
      await work();
    } catch (error) {
      failure = { error };
    }
    const now = performance.now();
    due = now + Math.max(every * 1000, every === 0 ? 0 : SHARE * (now - began));
  };
  const start = (): Promise<void> => {
    disarm();
    running = running.then(doWork);
    return running;
  };
  return {
    pageCame: async () => {
      due ??= performance.now() + every * 1000;
      const left = due - performance.now();
      if (left <= 0) await start();
      else timer ??= setTimeout(() => void start(), left).unref();
      if (failure !== undefined) throw failure.error;
    },
    stop: async () => {
      disarm();
      await running;
      due = undefined;
      failure = undefined;
    },
  };
}
