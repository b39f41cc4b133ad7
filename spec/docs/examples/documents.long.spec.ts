/** What the documents show is so. */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { startServer } from '../../../examples/api/server.cjs';
import type { RunningServer } from '../../../examples/api/server.cjs';
import { parseJson, validate } from '../../../src';
import { ROOT } from '../../support/build';
import { COMMAND } from '../../support/command';
import { expectAsShown, samplesOf, stepsOf } from '../../support/shown-commands';
import type { Sample } from '../../support/shown-commands';

describe('documents', () => {
  const inProject = (path: string): string => join(__dirname, '../../..', path);
  const read = (path: string): string => readFileSync(inProject(path), 'utf8');

  describe('the documents', () => {
    it('README.md fits one screen', () => {
      expect(read('README.md').split('\n').length).toBeLessThanOrEqual(45);
    });

    it('docs/README.md names every document beside it', () => {
      const names = readdirSync(inProject('docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
      expect(names.filter((name) => !read('docs/README.md').includes(`(${name}`))).toEqual([]);
    });

    it.each(['examples/README.md', 'examples/service/README.md'])('%s links only to what exists', (path) => {
      const targets = [...read(path).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
      expect(targets.filter((target) => !existsSync(inProject(join(path, '..', target))))).toEqual([]);
    });

    it('docs/language/errors.md explains every code of an error', () => {
      const codes = [...read('src/core/errors/errors.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(
        ([, code = '']) => code,
      );
      expect(codes).toContain('API_STATUS');
      expect(codes.filter((code) => !read('docs/language/errors.md').includes(`\`${code}\``))).toEqual([]);
    });

    it('docs/library.md explains every type of event', () => {
      const types = [...read('src/core/events.ts').matchAll(/readonly type: '([a-z.]+)'/g)].map(
        ([, type = '']) => type,
      );
      expect(types).toContain('run.finished');
      expect(types.filter((type) => !read('docs/library.md').includes(`\`${type}\``))).toEqual([]);
    });
  });
});

/**
 * docs/command.md, and the outcome that docs/completeness.md shows: samples are run as they stand, in the order of the page, in a copy of
 * examples/command and against the example API. What a sample shows is what the command prints; `…` stands for anything, figures of time and versions are not compared.
 *
 * Marks before a block: `<!-- first: COMMANDS -->` for what a sample needs and a reader need not see, `<!-- not run: REASON -->` for
 * what needs a person or another shell, `<!-- screen 80 -->` for what spec/cli/run/screens.long.spec.ts shows.
 */

describe('command document', () => {
  const ADDRESS = 'http://127.0.0.1:4010';
  const PAGE = readFileSync(join(ROOT, 'docs/command.md'), 'utf8');
  const BLOCKS = samplesOf('docs/command.md');
  const OTHERS = samplesOf('docs/completeness.md').filter(({ language }) => language === 'text');
  const isRun = ({ mark, language }: Sample): boolean =>
    language !== 'json' && !/^(?:not run: .|screen \d+$|usage$)/s.test(mark);
  const SAMPLES = [...BLOCKS, ...OTHERS].filter(isRun);

  const missing = ['bash', 'openssl'].filter((program) => spawnSync(program, ['version']).error !== undefined);

  describe(`docs/command.md and docs/completeness.md${missing.length === 0 ? '' : ` (skipped: without ${missing.join(' and ')})`}`, () => {
    const home = mkdtempSync(join(tmpdir(), 'headwater-command-document-'));
    const folder = join(home, 'command');
    let api: RunningServer;
    beforeAll(async () => {
      api = await startServer({ token: 'let-me-in', retryAfter: '0.05' });
      cpSync(join(ROOT, 'examples/command'), folder, { recursive: true });
      cpSync(join(ROOT, 'examples/misspelled.json'), join(home, 'misspelled.json'));
      mkdirSync(join(home, 'node_modules'));
      symlinkSync(ROOT, join(home, 'node_modules/headwater'), 'junction');
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll(ADDRESS, api.origin));
      }
    });
    afterAll(async () => {
      await api.close();
      rmSync(home, { recursive: true, force: true });
    });

    /** @returns what the commands print, on both outputs, and the exit status of the last one */
    async function typed(commands: string): Promise<{ readonly printed: string; readonly status: number | null }> {
      const headwater = `headwater() { "${process.execPath}" "${COMMAND}" "$@"; }`;
      const env = { ...process.env, API_TOKEN: 'let-me-in' };
      const child = spawn('bash', ['-c', `exec 2>&1; ${headwater}\n${commands}`], { cwd: folder, stdio: 'pipe', env });
      child.stdin.end();
      const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
      const printed = (await text(child.stdout)).replaceAll(api.origin, ADDRESS);
      return { printed, status: await closed };
    }

    const firstOf = ({ mark }: Sample): string => /^first: (.*)$/s.exec(mark)?.[1] ?? '';

    (missing.length === 0 ? it : it.skip).each(SAMPLES.map((sample) => [sample.content.split('\n')[0] ?? '', sample]))(
      '%s',
      async (_, sample) => {
        const first = firstOf(sample);
        if (sample.language === 'sh') {
          const { printed, status } = await typed(`set -e; ${first}\n${sample.content}`);
          expect({ printed, status }).toEqual({ printed, status: 0 });
          return;
        }
        if (first !== '') expect(await typed(`set -e; ${first}`)).toMatchObject({ status: 0 });
        const exports = first.split('\n').filter((line) => /^(?:export|unset) /.test(line));
        for (const { command, shown } of stepsOf(sample)) {
          const { printed, status } = await typed([...exports, command].join('\n'));
          expect([0, 1]).toContain(status);
          expectAsShown(printed, shown);
        }
      },
    );
  });

  describe('the samples of docs/command.md', () => {
    it('are all run, but for those that say why not', () => {
      expect(SAMPLES.length).toBeGreaterThan(8);
      expect(BLOCKS.filter(({ language }) => !['json', 'sh', 'text'].includes(language))).toEqual([]);
    });

    it('come after all the commands that there are, and the page names all options of them and no others', () => {
      const help = (...args: readonly string[]): string =>
        spawnSync(process.execPath, [COMMAND, ...args, '--help'], { encoding: 'utf8' }).stdout;
      const optionsIn = (shown: string): readonly string[] => shown.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
      const commands = [
        ...help()
          .replace(/\nExample:.*/s, '')
          .matchAll(/^ {2}([a-z|]+)(?: |$)/gm),
      ].flatMap(([, names = '']) => names.split('|'));
      const usage =
        BLOCKS.find(({ mark }) => mark === 'usage')
          ?.content.trimEnd()
          .split('\n') ?? [];
      const named = usage.flatMap((line) => (line.split(' ')[1] ?? '').split('|'));
      expect([...named].sort()).toEqual(commands.filter((name) => name !== 'help').sort());
      const withInner = (name: string): string => {
        const own = help(name);
        const inner = own.split('\nCommands:\n')[1]?.matchAll(/^ {2}([a-z]+) {2,}/gm) ?? [];
        return own + Array.from(inner, ([, each = '']) => help(name, each)).join('');
      };
      const options = new Set(named.flatMap((name) => optionsIn(withInner(name))));
      const listed = PAGE.match(/^- `-[^:]*/gm)?.flatMap(optionsIn) ?? [];
      expect(listed.length).toBeGreaterThan(50);
      expect([...new Set(listed)].filter((option) => !options.has(option))).toEqual([]);
      expect([...options].filter((option) => !optionsIn(PAGE).includes(option))).toEqual([]);
    });
  });
});

/** What docs/deployment.md shows is what stands in examples/deploy, and can be used: `HEADWATER_WRITE_DOCS=1` writes the page. */

describe('deploy', () => {
  const FOLDER = 'examples/deploy';
  const PAGE = 'docs/deployment.md';
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const LANGUAGES: Readonly<Record<string, string>> = { '.yaml': 'yaml', '.yml': 'yaml', '.py': 'python' };

  /** The page, with the file behind each mark. */
  const withFiles = (page: string): string =>
    page.replace(/^<!-- file: (\S+) -->\n(?:\n```[^\n]*\n[\s\S]*?\n```\n)?/gm, (mark, path: string) => {
      const [first = mark] = mark.split('\n');
      return `${first}\n\n\`\`\`${LANGUAGES[extname(path)] ?? 'ini'}\n${read(path).trimEnd()}\n\`\`\`\n`;
    });

  const runs = (command: string): boolean => spawnSync(command, ['--version']).status === 0;
  const whereThereIs = (command: string): jest.It => (runs(command) ? it : it.skip);

  describe('the files of docs/deployment.md', () => {
    it('are those of the folder', () => {
      const page = read(PAGE);
      if (process.env['HEADWATER_WRITE_DOCS'] === '1') writeFileSync(join(ROOT, PAGE), withFiles(page));
      expect(read(PAGE)).toBe(withFiles(page));
      for (const name of readdirSync(join(ROOT, FOLDER))) expect(read(PAGE)).toContain(`${FOLDER}/${name}`);
    });

    it('have a configuration that is valid, with secrets of the environment', () => {
      const config = parseJson(read(`${FOLDER}/stations.json`));
      const env = { STATIONS_URL: 'http://127.0.0.1:1/', STATIONS_USER: 'reader', STATIONS_PASSWORD: 'trout-and-tide' };
      expect(() => validate(config, { env })).not.toThrow();
      expect(() => validate(config, { env: {} })).toThrow(
        'config.#password: the environment variable STATIONS_PASSWORD is not set',
      );
    });

    it.each(readdirSync(join(ROOT, FOLDER)).filter((name) => /\.ya?ml$/.test(name)))('%s is YAML', (name) => {
      for (const { errors, warnings } of parseAllDocuments(read(`${FOLDER}/${name}`)))
        expect([...errors, ...warnings]).toEqual([]);
    });

    whereThereIs('python3').each(['airflow_dag.py', 'dagster_job.py'])(
      '%s is Python (skipped where there is no python3)',
      (name) => {
        const source = `import ast, sys; ast.parse(sys.stdin.read())`;
        const { status, stderr } = spawnSync('python3', ['-c', source], { input: read(`${FOLDER}/${name}`) });
        expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' });
      },
    );

    whereThereIs('systemd-analyze')(
      'the units are what systemd takes (skipped where there is no systemd-analyze)',
      () => {
        const units = ['service', 'timer'].map((kind) => join(ROOT, FOLDER, `headwater-stations.${kind}`));
        const { stderr } = spawnSync('systemd-analyze', ['verify', ...units]);
        // The command itself is installed where the unit is used.
        const faults = String(stderr)
          .split('\n')
          .filter((line) => line !== '' && !line.includes('is not executable'));
        expect(faults).toEqual([]);
      },
    );
  });
});
