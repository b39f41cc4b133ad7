/** Every relative link and every anchor of the documents leads somewhere. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { anchorsOf, linksOf } from '../support/markdown';

const ROOT = join(__dirname, '../..');
const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Pages that are made from the definitions of components: as soon as one of a folder is there, all have to be. */
const GENERATED = /^docs\/language\/((pagination|authentication|formats|sinks)\/|functions\.md$)/;
const isYetToBeMade = (path: string): boolean => {
  const [, part = ''] = GENERATED.exec(path) ?? [];
  return part !== '' && !existsSync(join(ROOT, 'docs/language', part));
};

function faultOf(document: string, link: string): string | undefined {
  const [, target = '', anchor = ''] = /^([^#]*)#?(.*)$/.exec(link) ?? [];
  const path = target === '' ? document : normalize(join(dirname(document), target));
  if (isYetToBeMade(path)) return undefined;
  if (!existsSync(join(ROOT, path))) return `${link}: there is no ${path}`;
  if (anchor === '' || statSync(join(ROOT, path)).isDirectory() || !path.endsWith('.md')) return undefined;
  return anchorsOf(read(path)).includes(anchor) ? undefined : `${link}: ${path} has no such heading`;
}

describe('the documents', () => {
  it.each(documents)('%s: every link leads somewhere', (document) => {
    const faults = linksOf(read(document)).map((link) => faultOf(document, link));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});
