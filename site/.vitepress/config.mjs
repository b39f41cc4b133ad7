import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';
import { linksOfTheSite } from './links.mjs';

const { version, description } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const { resolve } = createRequire(import.meta.url);

/** The pages of the site are the documents of the repository, where they are: only the first page is the site's own. */
export default defineConfig({
  title: 'Headwater',
  description,
  lang: 'en',
  srcDir: '..',
  // Everything that is written for readers, and nothing else of the repository.
  srcExclude: ['**/node_modules/**', 'README.md', 'bench/**', 'catalogue/**', 'spec/**', 'dist/**', 'reports/**'],
  rewrites: { 'site/index.md': 'index.md' },
  outDir: './dist',
  cacheDir: './.vitepress/cache',
  lastUpdated: false,
  cleanUrls: false,
  markdown: { config: (markdown) => markdown.use(linksOfTheSite) },
  // Pages show templates of other tools, and have none of their own: no page has these characters.
  vue: { template: { compilerOptions: { delimiters: ['\u{E000}', '\u{E001}'] } } },
  // Pages lie outside of the folder that has Vue.
  vite: {
    resolve: {
      alias: [
        { find: /^vue$/, replacement: resolve('vue/dist/vue.runtime.esm-bundler.js') },
        { find: /^vue\/server-renderer$/, replacement: join(dirname(resolve('vue')), 'server-renderer', 'index.mjs') },
      ],
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Begin', link: '/docs/getting-started' },
      { text: 'Language', link: '/docs/language/README' },
      { text: 'Library', link: '/docs/library' },
      { text: version, link: '/CHANGELOG' },
    ],
    sidebar: [
      {
        text: 'Begin',
        items: [
          page('Getting started', 'getting-started'),
          page('Ten minutes', 'tutorial'),
          page('A first run', 'first-run'),
          page('When to choose it', 'choosing'),
          page('What Headwater does', 'features'),
          page('All documents', 'README'),
        ],
      },
      {
        text: 'Do something',
        items: [
          page('The cookbook', 'cookbook/README'),
          page('The studio', 'studio'),
          page('Storing what came', 'sinks'),
          page('Secrets', 'language/secrets'),
          page('Run it on a schedule', 'deployment'),
          page('Is a run complete?', 'completeness'),
          page('Only what is new', 'extensions/incremental'),
          page('Rate limits and caps', 'extensions/rate-limits'),
          page('How much at once', 'extensions/flow'),
          page('From Generic Extractor', 'coming-from/generic-extractor'),
          page('From dlt', 'coming-from/dlt'),
          page('From Airbyte', 'coming-from/airbyte'),
          page('Testing', 'testing'),
          page('Traces and metrics', 'tracing'),
          page('Parts of your own', 'components'),
        ],
      },
      {
        text: 'Look something up',
        items: [
          page('The configuration language', 'language/README'),
          page('Extensions', 'extensions/README'),
          page('The command', 'command'),
          page('What init detects', 'detection'),
          page('The library', 'library'),
          page('Typed items', 'library/typed-items'),
          page('Parameters', 'library/parameters'),
          page('With RxJS', 'library/rxjs'),
          page('Streams, with marbles', 'library/reactive'),
          page('Going on', 'library/progress'),
        ],
      },
      {
        text: 'Understand',
        items: [
          page('Architecture', 'architecture'),
          page('Decisions', 'decisions/folders-and-files'),
          page('Performance', 'performance'),
          page('Beside dlt', 'comparison-dlt'),
          page('Reliability', 'reliability'),
          page('Security', 'security'),
        ],
      },
    ],
  },
});

function page(text, path) {
  return { text, link: `/docs/${path}` };
}
