import { once } from 'node:events';
import { createServer } from 'node:net';

/** No usual system gives these ports to a program that asks for any free port, and each worker of jest has its own. */
const FIRST = 20_000;
const WORKERS = 12;
const PER_WORKER = 1000;

const slice = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * PER_WORKER;
let next = Math.floor(Math.random() * PER_WORKER);

/**
 * A free port that no other program gets: a server can leave it and come back to it, and until then a connection to it
 * is refused. A port that the system chose for a server may belong to another spec as soon as the server is closed.
 */
export async function ownPort(): Promise<number> {
  for (let attempt = 0; attempt < PER_WORKER; attempt += 1) {
    const port = slice + next;
    next = (next + 1) % PER_WORKER;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${slice} to ${slice + PER_WORKER - 1} is free.`);
}

/** An origin at which nobody listens. */
export const refusedOrigin = async (): Promise<string> => `http://localhost:${await ownPort()}`;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port), 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}
