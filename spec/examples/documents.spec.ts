/** What the documents show is so. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../src';

const inProject = (path: string): string => join(__dirname, '../..', path);
const read = (path: string): string => readFileSync(inProject(path), 'utf8');
const jsonBlocks = (path: string): string[] =>
  [...read(path).matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => block);

describe('the documents', () => {
  it.each(['README.md', 'docs/command.md', 'docs/library.md'])('%s shows one configuration, which is valid', (path) => {
    expect(jsonBlocks(path).map((block) => validate(JSON.parse(block)).warnings)).toEqual([[]]);
  });

  it('README.md shows examples/stations.json', () => {
    expect(jsonBlocks('README.md')).toEqual([read('examples/stations.json')]);
  });

  it.each(['README.md', 'docs/command.md', 'docs/components.md', 'docs/library.md', 'examples/README.md'])(
    '%s links only to what exists',
    (path) => {
      const targets = [...read(path).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
      expect(targets.filter((target) => !existsSync(inProject(join(path, '..', target))))).toEqual([]);
    },
  );

  it('docs/library.md explains every code of an error', () => {
    const codes = [...read('src/errors.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code = '']) => code);
    expect(codes).toContain('API_STATUS');
    expect(codes.filter((code) => !read('docs/library.md').includes(`\`${code}\``))).toEqual([]);
  });

  it('docs/library.md explains every type of event', () => {
    const types = [...read('src/events.ts').matchAll(/readonly type: '([a-z.]+)'/g)].map(([, type = '']) => type);
    expect(types).toContain('run.finished');
    expect(types.filter((type) => !read('docs/library.md').includes(`\`${type}\``))).toEqual([]);
  });
});
