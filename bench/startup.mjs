// (e) How soon the first request is sent: node bench/startup.mjs [--rounds 15]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { milliseconds } from './support/clock.mjs';
import { atMost, median, shown } from './support/figures.mjs';
import { pagedJob, runCommand } from './support/headwater.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { rounds: 15 };
export const quick = { rounds: 2 };

/** Above the start of Node.js itself, in ms. */
const BAR = 60;

export async function startup({ rounds }) {
  const server = await startServer({ pages: 1, items: 2, last: 1 });
  const [toRequest, toEnd, compiling, bare] = [[], [], [], []];
  try {
    await withFolder(async (folder) => {
      const command = runCommand(pagedJob(server.url, 2), folder);
      const run = async (env) => {
        await server.begin();
        const { begin, end } = await timed(command, env);
        const { first } = await server.stats();
        return { first: first.page - begin, end: end - begin };
      };
      // What a first run compiles is kept for the next ones.
      await run();
      for (let round = 0; round < rounds; round += 1) {
        const { first, end } = await run();
        toRequest.push(first);
        toEnd.push(end);
        const node = await timed([process.execPath, '-e', '0']);
        bare.push(node.end - node.begin);
        compiling.push((await run({ NODE_DISABLE_COMPILE_CACHE: '1' })).first);
      }
    });
  } finally {
    server.close();
  }
  const row = (name, times) => [name, shown(median(times)), shown(Math.min(...times)), shown(Math.max(...times))];
  const above = toRequest.map((time, at) => time - bare[at]);
  return {
    title: 'Start-up',
    head: ['from the start of the process', '>median ms', '>least', '>most'],
    rows: [
      row('headwater run, to its first request', toRequest),
      row('the same without what it compiled before', compiling),
      row('headwater run, to its end', toEnd),
      row('node -e 0, to its end', bare),
      row('first request, above the node -e 0 after it', above),
    ],
    notes: [`${rounds} runs of each, by turns; the first request as the server sees it.`],
    bars: [atMost('First request above node -e 0, ms', BAR, median(above), 0)],
  };
}

/** Without the wrapper that tells the usage: it would take part. */
async function timed([program, ...args], env = {}) {
  const begin = milliseconds();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with status ${status}`);
  return { begin, end: milliseconds() };
}

await ifMain(import.meta, startup, defaults, quick);
