import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from '../../src';
import { newCommand } from '../../src/cli/new-command';

const CATALOGUE = join(__dirname, '..', '..', 'catalogue');
const configuration = (name: string): string => readFileSync(join(CATALOGUE, `${name}.json`), 'utf8');
const page = (name: string): string => readFileSync(join(CATALOGUE, `${name}.md`), 'utf8');
const names = readdirSync(CATALOGUE)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''));

describe('the catalogue', () => {
  it('has a page for each configuration, and no other file', () => {
    const files = readdirSync(CATALOGUE).sort();
    expect(files).toEqual(names.flatMap((name) => [`${name}.json`, `${name}.md`]).sort());
    expect(names.length).toBeGreaterThanOrEqual(12);
  });

  it.each(names)('%s is valid without a warning, and its page names the version that was run', (name) => {
    expect(validate(JSON.parse(configuration(name))).warnings).toEqual([]);
    expect(page(name)).toMatch(/^# .+\n\n.+; run against .*\d+\.\d+\.\d+.*\.\n\n1\. /);
  });

  it.each(names)('scripts/real-servers has a check of %s', (name) => {
    const checks = readdirSync(join(__dirname, '..', '..', 'scripts', 'real-servers'))
      .filter((file) => file.endsWith('.mjs'))
      .map((file) => readFileSync(join(__dirname, '..', '..', 'scripts', 'real-servers', file), 'utf8'));
    expect(checks.some((text) => text.includes(`'${name}'`))).toBe(true);
  });
});

describe('headwater new', () => {
  let folder: string;
  let stdout: string;
  let stderr: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-new-'));
    stdout = '';
    stderr = '';
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('lists the servers, with what they were run against', () => {
    expect(newCommand()).toBe(0);
    expect(stdout.split('\n')).toHaveLength(names.length + 3);
    expect(stdout).toContain('"headwater new airbyte:NAME"');
    expect(stdout).toMatch(/^keycloak +Users, groups .* run against Keycloak 26\.0\.7\.$/m);
  });

  it('writes the configuration, and says what to change in it', () => {
    const file = join(folder, 'mine.json');
    expect(newCommand('couchdb', file)).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(configuration('couchdb'));
    expect(stdout).toBe(`${file} is written.\n\n${page('couchdb')}\nThen: headwater run ${file}\n`);
  });

  it('prints the configuration alone on standard output', () => {
    expect(newCommand('couchdb', '-')).toBe(0);
    expect(stdout).toBe(configuration('couchdb'));
  });

  it('leaves a file that is there alone', () => {
    const file = join(folder, 'mine.json');
    newCommand('couchdb', file);
    expect(newCommand('directus', file)).toBe(1);
    expect(stderr).toBe(`${file} is there already, and is left as it is: name another file.\n`);
    expect(readFileSync(file, 'utf8')).toBe(configuration('couchdb'));
  });

  it('says what is wrong with a file that cannot be written', () => {
    expect(newCommand('couchdb', join(folder, 'none', 'mine.json'))).toBe(1);
    expect(stderr).toMatch(/mine\.json cannot be written: ENOENT/);
  });

  it('says which server a name may mean', () => {
    expect(newCommand('keyclaok')).toBe(1);
    expect(stderr).toContain('The catalogue has no "keyclaok"; did you mean "keycloak"? "headwater new" lists all.');
    expect(stderr).toContain('"headwater new airbyte:NAME"');
  });
});
