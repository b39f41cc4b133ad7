/** Every document that code names is there, and so is every heading. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorsOf } from '../support/markdown';

const ROOT = join(__dirname, '../..');
const sources = ['src', 'spec', 'scripts', 'examples', 'bench'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(c|m)?[jt]s$/.test(name) && !/spec\/language\//.test(join(folder, name)))
    .map((name) => join(folder, name)),
);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const CITATION = /\bdocs\/[\w/.-]*\w\.md(?:#[\p{L}\p{N}_-]+)?/gu;
const citations = new Set(sources.flatMap((path) => [...read(path).matchAll(CITATION)].map(([citation]) => citation)));

/** Pages that are made from the definitions of components may not have been made yet. */
const isYetToBeMade = (path: string): boolean =>
  /^docs\/language\/((pagination|authentication|formats|sinks)\/|functions\.md$)/.test(path) &&
  !existsSync(join(ROOT, 'docs/language/functions.md'));

function faultOf(citation: string): string | undefined {
  const [path = '', anchor] = citation.split('#');
  if (isYetToBeMade(path)) return undefined;
  if (!existsSync(join(ROOT, path))) return `${citation}: there is no such page`;
  if (anchor === undefined || anchorsOf(read(path)).includes(anchor)) return undefined;
  return `${citation}: there is no such heading`;
}

describe('citations of documents in code', () => {
  it('there are some', () => {
    expect(citations.size).toBeGreaterThan(10);
  });

  it('lead to a page, and to a heading of it', () => {
    expect([...citations].map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
  });
});
