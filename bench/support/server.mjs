import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../page-server.mjs', import.meta.url));

/**
 * Starts bench/page-server.mjs and waits until its pages are prepared.
 *
 * @param options its options by name, for example `{ pages: 200, latency: 50, total: true }`
 * @returns `begin(changes)` forgets the counts and sets `pages` or `latency`; `stats()` gives the counts
 */
export async function startServer(options) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  const args = given.flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, String(value)]));
  const child = fork(program, args);
  const answer = async () => {
    const [message] = await once(child, 'message');
    return message;
  };
  const port = await answer();
  const ask = (question) => {
    child.send(question);
    return answer();
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    begin: (changes = {}) => ask({ begin: changes }),
    stats: () => ask('stats'),
    close: () => child.disconnect(),
  };
}
