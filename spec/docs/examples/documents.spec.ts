/** What the documents show is so. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../src';

const inProject = (path: string): string => join(__dirname, '../../..', path);
const read = (path: string): string => readFileSync(inProject(path), 'utf8');
const jsonBlocks = (path: string): string[] =>
  [...read(path).matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => block);

describe('the documents', () => {
  it.each(['docs/getting-started.md', 'docs/command.md', 'docs/library.md'])(
    '%s shows one configuration, which is valid',
    (path) => {
      expect(jsonBlocks(path).map((block) => validate(JSON.parse(block)).warnings)).toEqual([[]]);
    },
  );

  it('docs/getting-started.md shows examples/stations.json', () => {
    expect(jsonBlocks('docs/getting-started.md')).toEqual([read('examples/stations.json')]);
  });

  it('README.md fits one screen', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(45);
  });

  it('docs/README.md names every document beside it', () => {
    const names = readdirSync(inProject('docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(names.filter((name) => !read('docs/README.md').includes(`(${name}`))).toEqual([]);
  });

  it.each([
    'README.md',
    'docs/README.md',
    'docs/command.md',
    'docs/components.md',
    'docs/library.md',
    'docs/library/typed-items.md',
    'docs/library/parameters.md',
    'docs/library/rxjs.md',
    'docs/library/progress.md',
    'examples/README.md',
    'examples/service/README.md',
  ])('%s links only to what exists', (path) => {
    const targets = [...read(path).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !existsSync(inProject(join(path, '..', target))))).toEqual([]);
  });

  it('docs/library.md explains every code of an error', () => {
    const codes = [...read('src/core/errors/codes.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code = '']) => code);
    expect(codes).toContain('API_STATUS');
    expect(codes.filter((code) => !read('docs/library.md').includes(`\`${code}\``))).toEqual([]);
  });

  it('docs/library.md explains every type of event', () => {
    const types = [...read('src/core/events.ts').matchAll(/readonly type: '([a-z.]+)'/g)].map(([, type = '']) => type);
    expect(types).toContain('run.finished');
    expect(types.filter((type) => !read('docs/library.md').includes(`\`${type}\``))).toEqual([]);
  });
});
