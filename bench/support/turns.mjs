import { medians } from './figures.mjs';
import { startServer } from './server.mjs';

/**
 * Lets contestants run by turns against one server, so that whatever the machine does meanwhile meets them all.
 *
 * @param options.serving options of the server
 * @param options.contestants gives them, from the server's address; each says how many `pages` it reads
 * @param options.runOnce runs one of them; whether its output is to be read back is its last argument: after the first round
 * @returns the median figures of each, with its name
 */
export async function takeTurns({ serving, rounds, contestants, runOnce }) {
  const server = await startServer(serving);
  try {
    const all = contestants(server.url).map((one) => ({ one, runs: [] }));
    for (let round = 0; round < rounds; round += 1)
      for (const { one, runs } of all) runs.push(await runOnce(server, one, round === 0));
    return all.map(({ one, runs }) => ({ name: one.name, ...medians(runs) }));
  } finally {
    server.close();
  }
}
