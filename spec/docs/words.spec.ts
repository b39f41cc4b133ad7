/** The manual, the cookbook and the guides stay short enough to be read. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(__dirname, '../../docs');
const MOST_WORDS = 40_000;
/** Signatures, reasons of developers, and reports that are generated or measured. */
const OTHERS =
  /^(?:api|decisions)\/|^(?:architecture|airbyte-sources|comparison-dlt|detection|mutation|performance|real-configurations|specification)\.md$/;

const pages = (): readonly string[] =>
  readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md') && !OTHERS.test(name));

/** Counts what is read as text: without code blocks, and with one word for each piece of code. */
const wordsOf = (markdown: string): number =>
  markdown
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

it('counts words of text', () => {
  expect(wordsOf('# A `--flag` of [two](links.md)\n\n| a | b |\n\n```sh\nnot these\n```\nlast 1.\n')).toBe(8);
});

it(`manual, cookbook and guides have at most ${MOST_WORDS} words`, () => {
  const counted = pages().map((name) => [name, wordsOf(readFileSync(join(DOCS, name), 'utf8'))] as const);
  const all = counted.reduce((sum, [, words]) => sum + words, 0);
  // Far fewer: a page was not found, and not a page became shorter.
  expect(all).toBeGreaterThan(MOST_WORDS / 2);
  expect(all).toBeLessThanOrEqual(MOST_WORDS);
});
