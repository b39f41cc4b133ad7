/** docs/extensions/ and examples/extensions/ belong together. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(__dirname, '../../../docs/extensions');
const EXAMPLES = join(__dirname, '../../../examples/extensions');
const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md'));
const linksOf = (page: string): string[] =>
  [...readFileSync(join(DOCS, page), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);

describe('docs/extensions/', () => {
  it.each(pages)('%s links only to what exists', (page) => {
    expect(linksOf(page).filter((target) => !existsSync(join(DOCS, target)))).toEqual([]);
  });

  it('each example belongs to a page', () => {
    const shown = pages.flatMap(linksOf).map((target) => join(DOCS, target));
    expect(readdirSync(EXAMPLES).filter((name) => !shown.includes(join(EXAMPLES, name)))).toEqual([]);
  });
});
