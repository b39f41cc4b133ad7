import type { Dispatcher } from 'undici';

/** The bytes that wait for a reader before the socket is paused. */
const HIGH_WATER = 256 * 2 ** 10;

/**
 * A body as an async iterable: undici pushes bytes, a reader pulls them, and while it is slow the socket is paused. It is read
 * once; leaving it early closes the connection.
 */
export class Flow implements AsyncIterable<Uint8Array> {
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(
    private readonly controller: Dispatcher.DispatchController,
    private readonly abort: () => void,
  ) {}

  /** Closes the connection, unless all has come. */
  readonly cancel = (): void => {
    if (this.#isOver) return;
    this.end(new Error('The reader has left.'));
    this.abort();
  };

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.byteLength;
    if (this.#waiting >= HIGH_WATER) this.controller.pause();
    this.#wake?.();
  }

  /** @param error why nothing more comes, if that is not the end of the body */
  end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        this.#chunks = [];
        this.#waiting = 0;
        yield* chunks;
        if (this.#chunks.length > 0) continue;
        if (this.#error !== undefined) throw this.#error;
        if (this.#isOver) return;
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        // What was held back comes before this returns, the end of the body as well.
        if (this.controller.paused) this.controller.resume();
        await woken;
        this.#wake = undefined;
      }
    } finally {
      this.cancel();
    }
  }
}
