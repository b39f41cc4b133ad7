/**
 * Responses of any size, as CSV and as one JSON array, through `compute` into Parquet: how much memory the command takes.
 * node bench/large-responses.mjs [MiB] [csv|json …]; `npm run build` first.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';

const [size = '200', ...chosen] = process.argv.slice(2);
const bytes = Number(size) * 2 ** 20;
const COMMAND = join(import.meta.dirname, '../dist/cli/main.js');

const pad = (at) => `station-${(at * 7919) % 100_003}`;
const WRITERS = {
  csv: {
    type: 'text/csv',
    head: 'id,name,level,note\n',
    tail: '',
    line: (at) => `${at},${pad(at)},${at % 977}.5,"a note, with a comma, of station ${pad(at)}"\n`,
  },
  json: {
    type: 'application/json',
    head: '{"meta":{"of":"bench"},"rows":[{"id":-1}',
    tail: '],"next":null}',
    line: (at) =>
      `,{"id":${at},"name":"${pad(at)}","level":${at % 977}.5,"note":"a note, with a comma, of station ${pad(at)}"}`,
  },
};

let lines = 0;
const server = createServer(async (request, response) => {
  const { type, head, tail, line } = WRITERS[request.url.slice(1)];
  response.writeHead(200, { 'content-type': type });
  response.write(head);
  let sent = 0;
  let at = 0;
  while (sent < bytes) {
    let text = '';
    while (text.length < 65_536) text += line(at++);
    sent += text.length;
    if (!response.write(text)) await once(response, 'drain');
  }
  lines = at;
  response.end(tail);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

for (const name of chosen.length > 0 ? chosen : Object.keys(WRITERS)) {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-large-'));
  const config = {
    api: { baseUrl: `http://127.0.0.1:${server.address().port}/`, http: { requestTimeout: 600 } },
    config: {
      jobs: [
        {
          endpoint: name,
          stream: true,
          dataType: 'rows',
          ...(name === 'csv' ? { format: 'csv' } : { dataField: 'rows' }),
          compute: { twice: { function: 'concat', args: [{ item: 'name' }, '-', { item: 'name' }] } },
        },
      ],
    },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const startedAt = Date.now();
  const child = spawn(
    process.execPath,
    [COMMAND, 'run', join(folder, 'config.json'), '--to', `parquet:${join(folder, 'out')}`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  let most = 0;
  const sampling = setInterval(() => {
    try {
      const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      most = Math.max(most, Number(kib ?? 0));
    } catch {
      // It is over.
    }
  }, 50);
  const [status] = await once(child, 'exit');
  clearInterval(sampling);
  const files = (await readdir(join(folder, 'out'))).filter((file) => file.endsWith('.parquet'));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, 'out', file))).size));
  console.log(
    `${name}: ${size} MiB, ${lines} items, status ${status}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s, ` +
      `at most ${Math.round(most / 1024)} MiB resident; ${files.join(' ')} ${sizes.join(' ')} bytes`,
  );
  await rm(folder, { recursive: true });
}
server.close();
