import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { fileFailure, PRIVATE_FILE, writeFailure } from '../files/durable-files';

/** A file that grows at its end by whole pieces: what was written half does not stay. */
export class GrowingFile {
  /** Whether something may stand behind the end. */
  #untidy = false;

  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private length: number,
  ) {}

  /**
   * @param end the number of bytes that count; what follows them is dropped before anything is appended, and not at once: the file may
   *   have a second name, by which it is whole
   * @throws FatalError DESTINATION or SINK_FAILED
   */
  static async open(path: string, end: number): Promise<GrowingFile> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, 'a', PRIVATE_FILE);
      const { size } = await handle.stat();
      const file = new GrowingFile(path, handle, end);
      file.#untidy = size !== end;
      return file;
    } catch (cause) {
      await handle?.close();
      throw fileFailure(path, cause);
    }
  }

  /** The number of bytes that count. */
  get end(): number {
    return this.length;
  }

  /** @throws FatalError SINK_FAILED; the end is then where it was */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      await this.#tidy();
      this.#untidy = true;
      for (let at = 0; at < bytes.length;) at += (await this.handle.write(bytes, at)).bytesWritten;
      this.#untidy = false;
      this.length += bytes.length;
    } catch (cause) {
      throw writeFailure(this.path, cause);
    }
  }

  /** Drops what stands behind this end; if the system refuses, it is tried again before anything is appended. */
  async cut(end: number): Promise<void> {
    this.length = end;
    this.#untidy = true;
    await this.#tidy().catch(() => undefined);
  }

  /** Makes the bytes safe against loss of power. */
  async sync(): Promise<void> {
    await this.handle.datasync().catch((cause: unknown): never => {
      throw writeFailure(this.path, cause);
    });
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  async #tidy(): Promise<void> {
    if (!this.#untidy) return;
    await this.handle.truncate(this.length);
    this.#untidy = false;
  }
}
