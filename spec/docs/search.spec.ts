/** The search of the site leads from a question of a user to its page, by the first hit: as VitePress's local search does, by minisearch. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import type { Options, SearchOptions } from 'minisearch';
import { ROOT } from '../support/build';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly titles: readonly string[];
  readonly text: string;
}

const { isSearched, miniSearch } = jest.requireActual<{
  readonly isSearched: (path: string) => boolean;
  readonly miniSearch: { readonly options: Partial<Options<Section>>; readonly searchOptions: SearchOptions };
}>(join(ROOT, 'site/.vitepress/search.cjs'));

const plain = (markdown: string): string => markdown.replace(/\]\([^)]*\)/g, ']').replace(/[`*|[\]]/g, ' ');

/** A page, cut at its headings, as the site cuts it. */
function sectionsOf(path: string): readonly Section[] {
  const sections: Section[] = [];
  let titles: readonly string[] = [];
  let text: string[] = [];
  let isCode = false;
  const end = (): void => {
    const [title] = titles.slice(-1);
    if (title !== undefined)
      sections.push({ id: `${path} ${sections.length}`, title, titles: titles.slice(0, -1), text: text.join('\n') });
    text = [];
  };
  for (const line of readFileSync(join(ROOT, path), 'utf8').split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks, heading = ''] = (isCode ? undefined : /^(#+) (.*)$/.exec(line)) ?? [];
    if (marks === undefined) text.push(plain(line));
    else {
      end();
      titles = [...titles.slice(0, marks.length - 1), plain(heading)];
    }
  }
  end();
  return sections;
}

const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => `docs/${name}`)
  .filter((path) => path.endsWith('.md') && isSearched(path));
const index = new MiniSearch<Section>({
  ...miniSearch.options,
  fields: ['title', 'titles', 'text'],
  searchOptions: miniSearch.searchOptions,
});
index.addAll(pages.flatMap(sectionsOf));
const pageOf = (question: string): string => String(index.search(question)[0]?.id).replace(/ \d+$/, '');

describe('the search of the site', () => {
  it('looks at the pages for users', () => {
    expect(pages.length).toBeGreaterThan(70);
    expect(pages.filter((page) => /\/(?:api|decisions)\//.test(page))).toEqual([]);
  });

  it.each([
    ['how do I page by a cursor in a header?', 'language/pagination'],
    ['only new rows?', 'language/incremental'],
    ['a rate limit?', 'language/rate-limits'],
    ['own authentication in TypeScript?', 'components'],
    ['a field of the body as page size?', 'language/pagination'],
    ['the Link header?', 'cookbook/link-header'],
    ['what if there are no more than 10,000 results?', 'cookbook/capped-windows'],
    ['how do I keep a password out of the configuration file?', 'language/secrets'],
    ['OAuth 2 with client credentials?', 'cookbook/client-credentials'],
    ['an API key in the query?', 'cookbook/key-and-rate-limit'],
    ['can it read a CSV file in a zip archive?', 'language/responses'],
    ['how do I wait for an export?', 'cookbook/asynchronous-export'],
    ['a response larger than memory?', 'language/large-responses'],
    ['retry after a 503?', 'language/retries'],
    ['requests in parallel?', 'language/concurrency'],
    ['how do I rename a field?', 'language/items'],
    ['a misspelled key?', 'language/configuration'],
    ['which error codes are there?', 'language/errors'],
    ['is anything missing?', 'completeness'],
    ['how do I resume an interrupted run?', 'sinks'],
    ['merge rows by a primary key?', 'sinks'],
    ['nested lists as tables?', 'sinks'],
    ['an HTTP proxy?', 'command'],
    ['run it every night with cron?', 'deployment'],
    ['can I use the operators with undici?', 'library/operators'],
    ['how do I test without a network?', 'testing'],
    ['traces with OpenTelemetry?', 'tracing'],
    ['SOAP', 'language/formats/xml'],
    ['keyed map', 'language/rows'],
  ])('%s %s', (question, page) => {
    expect(pageOf(question)).toBe(`docs/${page}.md`);
  });

  it('is not led by words without a meaning', () => {
    expect(index.search('how do I, and what is it?')).toEqual([]);
  });
});
