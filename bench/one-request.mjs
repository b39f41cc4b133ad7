// What a run of one request costs an application: node bench/one-request.mjs [--runs 2000]
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { Pool } from 'undici';
import { atMost, shown } from './support/figures.mjs';
import { dist } from './support/headwater.mjs';
import { ifMain } from './support/program.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { runs: 2000, rounds: 3 };
export const quick = { runs: 20, rounds: 1 };

const { client: headwaterClient, extract, prepare } = createRequire(import.meta.url)(join(dist, 'index.js'));

/** Each way to send one request, and what undici alone takes for it. */
function waysAt(url) {
  const api = { baseUrl: url };
  const config = { jobs: [{ endpoint: 'children/7', dataField: '.' }] };
  const pool = new Pool(new URL(url).origin);
  const client = headwaterClient(api);
  const prepared = prepare({ api, config }, { parameters: {} });
  return {
    close: () => Promise.all([pool.close(), client.close()]),
    ways: [
      [
        'undici and JSON.parse',
        async () => JSON.parse(await (await pool.request({ method: 'GET', path: '/children/7' })).body.text()),
      ],
      ['`client.request`', () => firstValueFrom(client.request({ url: new URL('/children/7', url).href }))],
      ['`client.extract`', () => lastValueFrom(client.extract(config).items$)],
      ['`prepare` and `run`', () => lastValueFrom(prepared.run({}).items$)],
      ['`extract`', () => lastValueFrom(extract({ api, config }).items$)],
    ],
  };
}

export async function oneRequest({ runs, rounds }) {
  const server = await startServer({ pages: 1, items: 1, ids: 10, latency: 0 });
  const { ways, close } = waysAt(server.url);
  const rows = [];
  try {
    for (const [name, send] of ways) {
      // The first runs compile the code.
      for (let run = 0; run < runs / 2; run += 1) await send();
      let least = Infinity;
      for (let round = 0; round < rounds; round += 1) {
        const before = process.cpuUsage();
        for (let run = 0; run < runs; run += 1) await send();
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, (user + system) / 1000 / runs);
      }
      rows.push({ name, cpu: least });
    }
  } finally {
    await close();
    server.close();
  }
  return {
    title: 'A run of one request',
    head: ['way', '>CPU, ms a run'],
    rows: rows.map(({ name, cpu }) => [name, shown(cpu, 2)]),
    notes: [`One after another in one process, compiled; best of ${rounds} rounds of ${shown(runs)}.`],
    bars: rows.slice(2, 4).map(({ name, cpu }) => atMost(`CPU ms of a run of one request, ${name}`, 1, cpu)),
  };
}

await ifMain(import.meta, oneRequest, defaults, quick);
