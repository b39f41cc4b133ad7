/** A spec that fails, and leaves open what it has opened: spec/support/opened.spec.ts runs it. */
import { startRawServer } from '../end-to-end/faults/support/raw-server';
import { never } from './answers';
import { startServer } from './api-server';
import { startSshServer } from './ssh-server';

it('fails', async () => {
  const server = await startServer(() => never);
  const gate = await startSshServer();
  const raw = await startRawServer(() => []);
  void fetch(server.origin).catch(() => undefined);
  await server.received(0);
  expect(server.openConnections()).toBe(0);
  await gate.close();
  await raw.goAway();
  await server.close();
});
