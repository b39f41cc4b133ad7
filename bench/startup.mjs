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

export async function startup({ rounds }) {
  const server = await startServer({ pages: 1, items: 2, last: 1 });
  const [toRequest, toEnd, bare] = [[], [], []];
  try {
    await withFolder(async (folder) => {
      const command = runCommand(pagedJob(server.url, 2), folder);
      for (let round = 0; round < rounds; round += 1) {
        await server.begin();
        const { begin, end } = await timed(command);
        const { first } = await server.stats();
        toRequest.push(first.page - begin);
        toEnd.push(end - begin);
        const node = await timed([process.execPath, '-e', '0']);
        bare.push(node.end - node.begin);
      }
    });
  } finally {
    server.close();
  }
  const row = (name, times) => [name, shown(median(times)), shown(Math.min(...times)), shown(Math.max(...times))];
  return {
    title: 'Start-up',
    head: ['from the start of the process', '>median ms', '>least', '>most'],
    rows: [
      row('headwater run, to its first request', toRequest),
      row('headwater run, to its end', toEnd),
      row('node -e 0, to its end', bare),
    ],
    notes: [`${rounds} runs of each, by turns; the first request as the server sees it.`],
    bars: [atMost('First request after the start of the command, ms', 250, median(toRequest), 0)],
  };
}

/** Without the wrapper that tells the usage: it would take part. */
async function timed([program, ...args]) {
  const begin = milliseconds();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with status ${status}`);
  return { begin, end: milliseconds() };
}

await ifMain(import.meta, startup, defaults, quick);
