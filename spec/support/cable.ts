import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { closedInTheEnd } from './opened';
import { ownPort } from './own-port';

/** A way to a server, over which bytes pass as they are, and which can be cut. */
export interface Cable {
  readonly port: number;
  /** Ends all connections, and accepts no new one for so long. `silently`: both ends hear of it only when that time is over. */
  readonly cut: (milliseconds: number, silently?: boolean) => void;
  readonly close: () => Promise<void>;
}

/** Lays a cable to a port of this machine. */
export async function cableTo(port: number): Promise<Cable> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let cutUntil = 0;
  const server = createServer((near) => {
    if (Date.now() < cutUntil) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.setNoDelay().on('error', end).on('close', end);
    near.pipe(far).pipe(near);
  });
  const own = await ownPort();
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  const endAll = (): void => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    port: own,
    cut: (milliseconds, silently = false) => {
      cutUntil = Date.now() + milliseconds;
      if (!silently) {
        endAll();
        return;
      }
      for (const [near, far] of pairs) {
        near.unpipe().pause();
        far.unpipe().pause();
      }
      setTimeout(endAll, milliseconds);
    },
    close: closedInTheEnd(() => {
      server.close();
      endAll();
    }),
  };
}
