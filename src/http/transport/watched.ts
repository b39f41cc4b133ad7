import type { BodyStream } from '../../model';

/** How a body is watched that is given as it arrives. */
interface Watch {
  /** Milliseconds of silence after which it is given up, while somebody waits for it; 0 for no limit. */
  readonly within: number;
  readonly overdue: () => unknown;
  /** Says what an error of the connection means. */
  readonly broken: (error: unknown) => unknown;
}

/** A body whose silence is limited, and whose errors say what they mean. What a slow reader takes does not count. */
export function watched(stream: BodyStream, { within, overdue, broken }: Watch): BodyStream {
  return {
    cancel: stream.cancel,
    async *[Symbol.asyncIterator]() {
      const source = stream[Symbol.asyncIterator]();
      const silence = { isTooLong: false };
      try {
        for (;;) {
          const timer =
            within === 0
              ? undefined
              : setTimeout(() => {
                  silence.isTooLong = true;
                  stream.cancel();
                }, within);
          const next = await source.next().finally(() => clearTimeout(timer));
          if (next.done === true) return;
          yield next.value;
        }
      } catch (error) {
        throw silence.isTooLong ? overdue() : broken(error);
      } finally {
        await source.return?.();
      }
    },
  };
}
