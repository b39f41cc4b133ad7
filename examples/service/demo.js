// @ts-check
/** Starts all that the service needs on this machine, asks it for a few extractions, and shows what comes out. */
import './link.js';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import api from '../api/server.cjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'extraction-service-'));
const services = join(here, '../../scripts/services.sh');
/** Servers that somebody else has started stay. */
const own = process.env.NATS_URL === undefined;

function startNats() {
  const env = { ...process.env, HEADWATER_SERVICES: join(folder, 'services') };
  const stop = () => execFileSync('bash', [services, 'stop'], { env, stdio: 'ignore' });
  const file = execFileSync('bash', [services, 'start', 'nats'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [, url = ''] = /HEADWATER_TEST_NATS=(.*)/.exec(readFileSync(String(file).trim(), 'utf8')) ?? [];
  return { url, stop };
}

const nats = own ? startNats() : { url: process.env.NATS_URL ?? '', stop: () => undefined };
const exampleApi = await api.startServer();
const namespace = `demo-${process.pid}`;
const credentials = join(folder, 'credentials');
mkdirSync(credentials);
for (const [tenant, user] of Object.entries({ alder: 'alder', marl: 'marl' }))
  writeFileSync(join(credentials, `${tenant}.json`), JSON.stringify({ user, '#password': `${user}-and-tide` }));

const service = spawn(process.execPath, [join(here, 'src/main.js')], {
  cwd: here,
  env: {
    ...process.env,
    ...{ NATS_URL: nats.url, API_URL: `${exampleApi.origin}/v1`, NAMESPACE: namespace, HOST: '127.0.0.1', PORT: '0' },
    ...{ CREDENTIALS_FOLDER: credentials, WORK_FOLDER: join(folder, 'work') },
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let settled = 0;
const address = new Promise((resolve) => {
  createInterface({ input: service.stdout }).on('line', (line) => {
    console.log(`service  ${line}`);
    const { msg, message } = JSON.parse(line);
    if (message !== undefined) settled += 1;
    const [, url] = /listening at (\S+)/.exec(msg) ?? [];
    if (url !== undefined) resolve(url);
  });
});

const connection = await connect({ servers: new URL(nats.url).host });
const js = jetstream(connection);
const origin = await address;
const messages = [
  { tenant: 'alder', body: { configuration: 'stations', parameters: { river: 'ALD' } } },
  { tenant: 'marl', body: { configuration: 'stations', parameters: { river: 'MAR' } } },
  // Nobody has made such a configuration: it goes to the dead letters, and the others go on.
  { tenant: 'marl', body: { configuration: 'rapids' } },
];
for (const [at, { tenant, body }] of messages.entries())
  await js.publish(`${namespace}.requests.${tenant}`, JSON.stringify(body), { msgID: `message-${at}` });
while (settled < messages.length) await new Promise((resolve) => setTimeout(resolve, 50));

for (const stream of [`${namespace}-items`, `${namespace}-dead`]) {
  const consumer = await js.consumers.get(stream);
  for (let left = (await consumer.info()).num_pending; left > 0; left -= 1) {
    const message = await consumer.next();
    if (message === null) break;
    console.log(
      `${message.subject}  ${message.headers?.get('ce-id') || message.headers?.get('Error-Code')}  ${message.string()}`,
    );
  }
}
const metrics = await (await fetch(`${origin}/metrics`)).text();
console.log(
  metrics
    .split('\n')
    .filter((line) => /^(headwater_(items|logins|runs)|service_)/.test(line))
    .join('\n'),
);

service.kill('SIGTERM');
const [status] = await once(service, 'exit');
console.log(`the service has ended with status ${status}`);
for (const stream of ['requests', 'items', 'dead'])
  await (await js.jetstreamManager()).streams.delete(`${namespace}-${stream}`);
await connection.close();
await exampleApi.close();
nats.stop();
rmSync(folder, { recursive: true, force: true });
