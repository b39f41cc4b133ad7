// A manifest of Airbyte by Headwater and by Airbyte's CDK: node bench/airbyte.mjs [--records 100000] [--rounds 1]
//
// The rivals have to be there (bench/rivals/install.sh). Three streams of as many records each: pages by offset, windows of a day, and one
// request for each of many parents; 1,000 records a request.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds } from './support/clock.mjs';
import { atLeast, medians, shown } from './support/figures.mjs';
import { dist } from './support/headwater.mjs';
import { itemAt } from './support/items.mjs';
import { measure } from './support/measure.mjs';
import { ofNdjson, tallyOf } from './support/outputs.mjs';
import { ifMain } from './support/program.mjs';
import { declarative, fileOf, rivalsAreInstalled, rivalVersions } from './support/rivals.mjs';
import { withFolder } from './support/scratch.mjs';

export const defaults = { records: 100_000, rounds: 1 };
export const quick = { records: 2000 };

const STREAMS = ['pages', 'windows', 'substreams'];
const PER_REQUEST = 1000;
const FIRST_DAY = Date.UTC(2024, 0, 1);
const DAY = 86_400_000;

const dayAt = (request) => new Date(FIRST_DAY + request * DAY).toISOString().slice(0, 10);

const itemsOf = (request) =>
  Array.from({ length: PER_REQUEST }, (_, at) => ({ ...itemAt(request * PER_REQUEST + at), day: dayAt(request) }));

/** Serves the three streams, and notes when a run has asked first. */
async function serve(requests) {
  const bodies = Array.from({ length: requests }, (_, at) => Buffer.from(JSON.stringify({ items: itemsOf(at) })));
  const parents = Buffer.from(JSON.stringify({ items: bodies.map((_, id) => ({ id })) }));
  const nothing = Buffer.from('{"items":[]}');
  const seen = { first: undefined };
  const bodyOf = ({ pathname, searchParams }) => {
    if (pathname === '/pages') return bodies[Number(searchParams.get('offset') ?? 0) / PER_REQUEST];
    if (pathname === '/windows') return bodies[(Date.parse(searchParams.get('from')) - FIRST_DAY) / DAY];
    return pathname === '/parents' ? parents : bodies[Number(/^\/parents\/(\d+)\/items$/.exec(pathname)?.[1])];
  };
  const server = createServer(({ url }, response) => {
    seen.first ??= milliseconds();
    const body = bodyOf(new URL(url, 'http://bench')) ?? nothing;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close: () => server.close() };
}

const ofMessages = (path) => ofNdjson([path], (message) => message.record?.data);

/** The programs: each gets the paths of the configuration and of the catalogue, and the name of the stream. */
const CONTESTANTS = [
  {
    name: '`headwater run airbyte:…`',
    command: ({ config }, stream) => {
      const flags = ['--config', config, '--stream', stream, '--tag', '--to', 'ndjson:-', '--log-level', 'error'];
      return [process.execPath, join(dist, 'cli', 'main.js'), 'run', `airbyte:${fileOf('streams.yaml')}`, ...flags];
    },
    read: (path, stream) => ofNdjson([path], ({ dataType, item }) => (dataType === stream ? item : undefined)),
  },
  {
    name: '`headwater airbyte read`',
    command: ({ config, catalog }) => {
      const flags = ['--manifest', fileOf('streams.yaml'), '--config', config, '--catalog', catalog];
      return [process.execPath, join(dist, 'cli', 'main.js'), 'airbyte', 'read', ...flags];
    },
    read: ofMessages,
  },
  {
    name: 'Airbyte CDK, its command',
    command: ({ config, catalog }) => declarative({ config, catalog, manifest: fileOf('streams.yaml') }),
    read: ofMessages,
  },
];

export async function airbyte({ records, rounds }) {
  if (!rivalsAreInstalled()) throw new Error('Install the rivals first: bench/rivals/install.sh');
  const requests = Math.ceil(records / PER_REQUEST);
  const wanted = tallyOf(Array.from({ length: requests }, (_, at) => itemsOf(at)).flat());
  const server = await serve(requests);
  try {
    const results = [];
    for (const stream of STREAMS) {
      const runs = CONTESTANTS.map(() => []);
      for (let round = 0; round < rounds; round += 1)
        for (const [at, contestant] of CONTESTANTS.entries())
          runs[at].push(await runOnce(server, contestant, stream, { requests, wanted }));
      results.push(...CONTESTANTS.map(({ name }, at) => ({ stream, name, ...medians(runs[at]) })));
    }
    return resultOf(results, { records: requests * PER_REQUEST, rounds });
  } finally {
    server.close();
  }
}

const runOnce = (server, { name, command, read }, stream, { requests, wanted }) =>
  withFolder(async (folder) => {
    const [config, catalog, output] = ['config.json', 'catalog.json', 'out.ndjson'].map((file) => join(folder, file));
    const [base_url, first_day, last_day] = [server.url, dayAt(0), dayAt(requests)];
    writeFileSync(config, JSON.stringify({ base_url, first_day, last_day }));
    writeFileSync(catalog, JSON.stringify({ streams: [configured(stream)] }));
    server.seen.first = undefined;
    const { seconds, cpu, memory, end } = await measure(command({ config, catalog }, stream), { output });
    const found = await read(output, stream);
    if (found !== wanted) throw new Error(`${name} wrote ${found} of ${stream}, expected ${wanted}`);
    return { seconds, started: (end - server.seen.first) / 1000, cpu, memory };
  });

const configured = (name) => ({
  stream: { name, json_schema: {}, supported_sync_modes: ['full_refresh', 'incremental'] },
  ...{ sync_mode: name === 'windows' ? 'incremental' : 'full_refresh', destination_sync_mode: 'append' },
});

function resultOf(results, { records, rounds }) {
  const ratioOf = ({ stream, started }) =>
    results.find((other) => other.stream === stream && other.name.startsWith('Airbyte')).started / started;
  const ours = results.filter(({ name }) => !name.startsWith('Airbyte'));
  return {
    title: "A manifest, beside Airbyte's CDK",
    head: ['stream', 'process', '>seconds', '>after start-up', '>items/s', '>÷ CDK', '>CPU s', '>peak MiB'],
    rows: results.map((each) => [
      ...[each.stream, each.name, shown(each.seconds, 1), shown(each.started, 1)],
      ...[shown(records / each.started), shown(ratioOf(each), 1), shown(each.cpu, 1), shown(each.memory)],
    ]),
    notes: [
      `Medians of ${rounds} rounds; ${shown(records)} records a stream, ${shown(PER_REQUEST)} a request. Items/s and "÷ CDK" count from the ` +
        `first request to the end of the process. All outputs held the same records. Rivals: ${rivalVersions(['airbyte-cdk'])}.`,
    ],
    bars: ours.map((each) =>
      atLeast(`items/s of ${each.name}, ${each.stream} ÷ Airbyte CDK, after start-up`, 20, ratioOf(each), 1),
    ),
  };
}

await ifMain(import.meta, airbyte, defaults, quick);
