// Peak memory of `headwater run --to csv:FOLDER`: node bench/csv-memory.mjs [--pages N]
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { pages: { type: 'string', default: '1000' } } });

const server = fork(join(here, 'page-server.mjs'), [values.pages]);
const [port] = await once(server, 'message');
const folder = mkdtempSync(join(tmpdir(), 'headwater-bench-'));
const config = {
  api: { baseUrl: `http://127.0.0.1:${port}/`, pagination: { method: 'offset', limit: 1000 } },
  config: { jobs: [{ endpoint: 'gauges', dataField: 'items' }] },
};
const command = [
  join(here, '..', 'dist', 'cli', 'main.js'),
  'run',
  '-',
  '--to',
  `csv:${folder}`,
  '--log-level',
  'error',
];
const child = spawn(process.execPath, ['--require', join(here, 'peak-memory.cjs'), ...command], {
  stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
});
child.stdin.end(JSON.stringify(config));
const [usage, [status]] = await Promise.all([text(child.stdio[3]), once(child, 'close')]);
server.disconnect();

const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(usage);
for (const file of readdirSync(folder).sort()) console.log(`${file}: ${await rowsOf(join(folder, file))} rows`);
console.log(`peak memory ${Math.round(maxRSS / 1024)} MiB, CPU ${((userCPUTime + systemCPUTime) / 1e6).toFixed(1)} s`);
rmSync(folder, { recursive: true });
process.exitCode = status;

/** Lines without the header. */
async function rowsOf(path) {
  let lines = 0;
  for await (const chunk of createReadStream(path)) for (const byte of chunk) if (byte === 10) lines += 1;
  return lines - 1;
}
