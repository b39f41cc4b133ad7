/** What the doctor says of destinations that are servers, of locks that runs hold, and of disks. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { diagnose } from '../../../src';
import type { Diagnosis, JsonObject } from '../../../src';
import { writableDiagnosis } from '../../../src/explore/doctor/machine';
import { startServer } from '../../support/api-server';
import { COMMAND, startCommand } from '../../support/command';
import { canStartNats, natsUrl, startNatsServer } from '../../support/nats-server';
import { describeWithPostgres, NEEDS, testDatabase } from '../../support/postgres';
import { BUCKET, describeWithS3, NEEDS_S3, S3_ENVIRONMENT, useS3 } from '../../support/s3';

const configFor = (sink: string, baseUrl = 'http://127.0.0.1:9'): JsonObject => ({
  api: { baseUrl },
  config: { sinks: [sink], jobs: [{ endpoint: 'a' }] },
});
const destinations = async (sink: string): Promise<readonly Diagnosis[]> =>
  (await diagnose(configFor(sink))).filter(({ about }) => about.startsWith('destination '));
const REACHED = { level: 'ok', message: 'can be reached, and takes the credentials' };
const CHECK = 'Check the address, the port and the credentials, and whether a firewall stands between.';

/** Looks while a run into the destination is under way. */
async function whileHeld(sink: string): Promise<readonly Diagnosis[]> {
  const waiting: ServerResponse[] = [];
  const api = await startServer({ '/a': (response) => void waiting.push(response) });
  const run = startCommand(['run', '-'], JSON.stringify(configFor(sink, api.origin)));
  await api.received(0);
  const found = await destinations(sink);
  for (const response of waiting) response.writeHead(200, { 'content-type': 'application/json' }).end('[{"id":1}]');
  expect(await run.ended()).toMatchObject({ status: 0 });
  await api.close();
  return found;
}
const HELD = {
  level: 'warning',
  message: expect.stringMatching(/^Another run /) as string,
  remedy: 'Wait until that run ends, or name another place.',
};

describeWithPostgres(`headwater doctor and PostgreSQL ${NEEDS}`, () => {
  it('says that it is reached, that another run holds it, and what to do where it cannot be used', async () => {
    const database = await testDatabase();
    try {
      expect(await destinations(database.url)).toMatchObject([REACHED]);
      expect(await whileHeld(database.url)).toMatchObject([HELD]);
      expect(await destinations(database.url)).toMatchObject([REACHED]);
      const tables = await database.query("SELECT 1 FROM information_schema.tables WHERE table_name LIKE '%reached%'");
      expect(tables).toEqual([]);
    } finally {
      await database.drop();
    }
    const [gone] = await destinations(database.url.replace('headwater@', 'headwater:s3cret@'));
    expect(gone).toMatchObject({
      level: 'fault',
      message: expect.stringMatching(/does not exist/) as string,
      remedy: CHECK,
    });
    expect(JSON.stringify(gone)).not.toContain('s3cret');
  });
});

const withNats = natsUrl === undefined ? it.skip : it;
const withOwnNats = canStartNats ? it : it.skip;

describe('headwater doctor and NATS', () => {
  withNats(
    `says that it is reached ${natsUrl === undefined ? '(skipped: HEADWATER_TEST_NATS is not set)' : ''}`,
    async () => {
      expect(await destinations(`${natsUrl}/ORDERS`)).toMatchObject([REACHED]);
    },
  );

  withOwnNats(
    `says what to do where it refuses, or has no JetStream${canStartNats ? '' : ' (skipped: there is no nats-server)'}`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'headwater-doctor-nats-'));
      const guarded = await startNatsServer(join(folder, 'guarded'), ['--user', 'me', '--pass', 's3cret']);
      const at = (credentials: string) => `${guarded.url.replace('://', `://${credentials}@`)}/ORDERS`;
      expect(await destinations(at('me:s3cret'))).toMatchObject([REACHED]);
      const [refused] = await destinations(at('me:wr0ng'));
      expect(refused).toMatchObject({
        level: 'fault',
        message: expect.stringMatching(/authori/i) as string,
        remedy: CHECK,
      });
      expect(JSON.stringify(refused)).not.toContain('wr0ng');
      await guarded.kill();
      const file = join(folder, 'plain.conf');
      writeFileSync(file, 'accounts: { PLAIN: { users: [{ user: me, password: s3cret }] } }\n');
      const plain = await startNatsServer(join(folder, 'plain'), ['-c', file]);
      expect(await destinations(`${plain.url.replace('://', '://me:s3cret@')}/ORDERS`)).toMatchObject([
        {
          level: 'fault',
          message: 'cannot be used: The server has no JetStream, or this user may not use it',
          remedy: expect.stringContaining('nats-server -js') as string,
        },
      ]);
      await plain.kill();
      rmSync(folder, { recursive: true });
    },
  );
});

describeWithS3(`headwater doctor and S3${NEEDS_S3}`, () => {
  beforeAll(useS3);

  it.each(['csv', 'ndjson', 'parquet'])(
    'says that a bucket for %s is reached, is not there, or refuses the key',
    async (format) => {
      const place = `${format}:s3://${BUCKET}/doctor`;
      expect(await destinations(place)).toMatchObject([REACHED]);
      expect(await destinations(`${format}:s3://no-such-bucket/doctor`)).toMatchObject([
        { level: 'fault', message: expect.stringContaining('no-such-bucket') as string, remedy: CHECK },
      ]);
      process.env['AWS_SECRET_ACCESS_KEY'] = 'another-secret';
      const refused = await destinations(place);
      Object.assign(process.env, S3_ENVIRONMENT);
      expect(refused).toMatchObject([{ level: 'fault', remedy: CHECK }]);
      expect(JSON.stringify(refused)).not.toContain('another-secret');
    },
  );
});

/** Whether a small disk can be had. */
function mounts(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'headwater-mount-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place]);
  if (status === 0) execFileSync('umount', [place]);
  rmSync(place, { recursive: true });
  return status === 0;
}
const canMount = mounts();

describe('headwater doctor and places on this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-doctor-places-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['duckdb', 'csv'])('says that a run holds the destination %s', async (scheme) => {
    const sink = `${scheme}:${join(folder, `held.${scheme}`)}`;
    expect(await whileHeld(sink)).toMatchObject([{ level: 'ok' }, HELD]);
    expect(await destinations(sink)).toMatchObject([{ level: 'ok' }]);
  });

  (canMount ? it : it.skip)(`says that a disk is full${canMount ? '' : ' (skipped: none may be mounted here)'}`, () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
    try {
      expect(writableDiagnosis('state', folder)).toMatchObject([
        { level: 'warning', message: `the disk of ${folder} has room for 2 MB` },
      ]);
      spawnSync('dd', ['if=/dev/zero', `of=${join(folder, 'all')}`, 'bs=64k']);
      expect(writableDiagnosis('state', folder)).toEqual([
        {
          ...{ about: 'state', level: 'fault', message: `the disk of ${folder} is full` },
          remedy: 'Make room there, or name another place.',
        },
      ]);
    } finally {
      execFileSync('umount', [folder]);
    }
  });

  it('says that the user of the run may not write somewhere', async () => {
    const shut = mkdtempSync(join(tmpdir(), 'headwater-doctor-shut-'));
    chmodSync(shut, 0o555);
    // Root may write anywhere.
    const somebody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    // The project may lie where only its owner reads it; the command stands alone.
    const commands = mkdtempSync(join(tmpdir(), 'headwater-doctor-command-'));
    cpSync(dirname(COMMAND), commands, { recursive: true });
    chmodSync(commands, 0o755);
    const args = [join(commands, 'main.js'), 'doctor', '--format', 'json', '-'];
    const child = spawn(process.execPath, args, { cwd: '/', ...somebody });
    const closed = once(child, 'close');
    child.stdin.end(JSON.stringify(configFor(`csv:${join(shut, 'out')}`)));
    const found = JSON.parse(await text(child.stdout)) as Diagnosis[];
    expect(await closed).toEqual([1, null]);
    for (const path of [shut, commands]) rmSync(path, { recursive: true });
    expect(found).toContainEqual({
      about: `destination ${join(shut, 'out')}`,
      level: 'fault',
      message: `${shut} cannot be written`,
      remedy: 'Give the user of the run the right to write there, or name another place.',
    });
  });

  it('says that Node.js is too old, and which one to install', async () => {
    const config = { api: { baseUrl: 'http://127.0.0.1:9' }, config: { jobs: [] } };
    const versions = process.versions;
    Object.defineProperty(process, 'versions', { configurable: true, value: { ...versions, node: '18.20.4' } });
    try {
      const [node] = await diagnose(config);
      expect(node).toEqual({
        ...{ about: 'Node.js', level: 'fault', message: 'version 18.20.4 is too old' },
        remedy: 'Install 20.18.1 or a later one.',
      });
    } finally {
      Object.defineProperty(process, 'versions', { configurable: true, value: versions });
    }
  });
});
