/** Sockets that show whether a process lives: the system closes them when it ends, whichever way it ends. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { codeOf, PRIVATE_FILE } from './durable-files';

/** Maximum bytes of the path of a socket on every system. */
const LONGEST_PATH = 100;

/** A socket that this process listens on. */
export interface LockSocket {
  /** The name of its file in the folder. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

/**
 * Listens on a socket in a folder. Processes of the same kernel reach it, in whichever container they are, as long as they see
 * the folder; it keeps no process alive.
 *
 * @returns `undefined` where the system, or the file system, has no such sockets
 * @example const socket = await listenIn('out/.headwater/journal');
 */
export async function listenIn(folder: string): Promise<LockSocket | undefined> {
  const name = `lock-${randomUUID()}.sock`;
  const place = shortly(folder);
  const path = join(place.folder, name);
  if (Buffer.byteLength(path) > LONGEST_PATH) return undefined;
  const server = createServer((socket) => socket.destroy());
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(path, () => resolve(true));
  });
  if (!isListening) {
    place.leave();
    return undefined;
  }
  server.unref();
  await chmod(join(folder, name), PRIVATE_FILE);
  return {
    name,
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
      place.leave();
      await rm(join(folder, name), { force: true });
    },
  };
}

/** Whether somebody listens on the socket of this name; in doubt, somebody does. */
export async function answersIn(folder: string, name: string): Promise<boolean> {
  const place = shortly(folder);
  try {
    return await new Promise<boolean>((resolve) => {
      const socket = connect(join(place.folder, name), () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error) ?? '')));
    });
  } finally {
    place.leave();
  }
}

/** The folder by a short path: longer ones are cut where a socket is made, so that it would lie somewhere else. */
function shortly(folder: string): { readonly folder: string; readonly leave: () => void } {
  if (process.platform !== 'linux') return { folder, leave: () => undefined };
  const descriptor = openSync(folder, 'r');
  return { folder: `/proc/self/fd/${descriptor}`, leave: () => closeSync(descriptor) };
}
