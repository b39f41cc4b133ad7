import { Duplex } from 'node:stream';
import type { Channel } from 'ssh2';

type Done = (error?: Error | null) => void;

/**
 * A channel of an SSH connection as a stream that behaves like a socket: destroying it takes effect at once, whatever
 * the far end does. The channels of ssh2 wait for an answer, and do not say that they are destroyed.
 */
export class ChannelStream extends Duplex {
  readonly #channel: Channel;

  constructor(channel: Channel) {
    super({ allowHalfOpen: false });
    this.#channel = channel;
    channel
      .on('data', (chunk: Buffer) => {
        if (!this.push(chunk)) channel.pause();
      })
      .on('end', () => this.push(null))
      .on('error', (error: Error) => this.destroy(error));
  }

  override _read(): void {
    this.#channel.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.#channel.write(chunk, encoding, done);
  }

  override _final(done: Done): void {
    this.#channel.end();
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#channel.close();
    // A channel ends when all that it received has been read.
    this.#channel.removeAllListeners('data').resume();
    done(error);
  }
}
