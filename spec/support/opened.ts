import { startServer } from './api-server';
import type { ApiServer, Handler, Routes, ServerOptions } from './api-server';

type Close = () => unknown;
const opened: Close[] = [];

// What is opened in the body of a test is closed here, so that one which fails does not keep jest waiting.
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** Closes something after the test, whether it passes or fails; what was opened last is closed first. */
export function closeAfterwards(close: Close): void {
  opened.push(close);
}

/** As {@link startServer}; the server is closed after the test. */
export async function openServer(answers: Handler | Routes, options?: ServerOptions): Promise<ApiServer> {
  const server = await startServer(answers, options);
  closeAfterwards(server.close);
  return server;
}
