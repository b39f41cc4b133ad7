/** docs/tutorial.md, followed as it is written: its commands in a shell, against the example API. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startServer } from '../../../examples/api/server.cjs';
import { COMMAND } from '../../support/command';

interface Block {
  /** The words after the three backticks. */
  readonly info: string;
  readonly content: string;
}

const ADDRESS = 'http://127.0.0.1:4010';
/** The job of the measurements, in the list of jobs. */
const JOB = /^ {4}- endpoint: measurements\n(?: {6}.*\n)*/m;

const [start, ...blocks]: readonly Block[] = [
  ...readFileSync(join(__dirname, '../../../docs/tutorial.md'), 'utf8').matchAll(/^```(\S[^\n]*)\n(.*?)^```$/gms),
].map(([, info = '', content = '']) => ({ info, content }));

const missing = ['bash', 'curl'].filter((program) => spawnSync(program, ['--version']).status !== 0);

describe(`docs/tutorial.md${missing.length === 0 ? '' : ` (skipped: without ${missing.join(' and ')})`}`, () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-tutorial-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** @returns what the commands print, on both outputs */
  async function typed(commands: string): Promise<string> {
    const npx = `npx() { shift; "${process.execPath}" "${COMMAND}" "$@"; }`;
    const child = spawn('bash', ['-c', `set -e; exec 2>&1; ${npx}\n${commands}`], { cwd: folder, stdio: 'pipe' });
    child.stdin.end();
    const closed = new Promise((resolve) => child.once('close', resolve));
    const printed = await text(child.stdout);
    expect({ commands, printed, status: await closed }).toEqual({ commands, printed, status: 0 });
    return printed;
  }

  (missing.length === 0 ? it : it.skip)(
    'does what it says, command by command',
    async () => {
      expect(start?.content).toMatch(/\nnode \.\.\/examples\/api\/server\.cjs --port 4010 --token let-me-in\n/);
      const api = await startServer({ token: 'let-me-in', retryAfter: '0.05' });
      try {
        const file = join(folder, 'stations.yaml');
        let exports = '';
        let printed = '';
        for (const { info, content } of blocks) {
          const here = content.replaceAll(ADDRESS, api.origin);
          if (info === 'yaml') await writeFile(file, here);
          else if (info === 'yaml measurements') {
            const before = await readFile(file, 'utf8');
            expect(before).toMatch(JOB);
            await writeFile(file, before.replace(JOB, here.replace(/^(?=.)/gm, '    ')));
          } else if (info === 'text') expect(printed).toContain(here.trimEnd());
          else {
            expect(info).toBe('sh');
            printed = await typed(`${exports}${here}`);
            exports += /^export .*$/gm.exec(here)?.[0].concat('\n') ?? '';
          }
        }
        expect(printed).toContain('40');
        expect(api.stats.limited).toBeGreaterThan(0);
      } finally {
        await api.close();
      }
    },
    120_000,
  );
});
