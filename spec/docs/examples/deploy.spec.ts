/** What docs/deployment.md shows is what stands in examples/deploy, and can be used: `HEADWATER_WRITE_DOCS=1` writes the page. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { parseJson, validate } from '../../../src';
import { ROOT } from '../../support/build';

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
