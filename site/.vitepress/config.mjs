import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';
import { linksOfTheSite } from './links.mjs';
import search from './search.cjs';

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
    search: {
      provider: 'local',
      options: {
        miniSearch: search.miniSearch,
        _render: (source, env, markdown) => (search.isSearched(env.relativePath) ? markdown.render(source, env) : ''),
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Begin', link: '/docs/tutorial' },
      { text: 'Language', link: '/docs/language/README' },
      { text: 'Library', link: '/docs/library' },
      { text: version, link: '/CHANGELOG' },
    ],
    sidebar: [
      {
        text: 'Begin',
        items: [
          page('Ten minutes', 'tutorial'),
          page('The right tool?', 'choosing'),
          page('Cookbook', 'cookbook/README'),
          page('From Generic Extractor', 'coming-from/generic-extractor'),
          page('From dlt', 'coming-from/dlt'),
          page('From Airbyte', 'coming-from/airbyte'),
          page('Manifests of Airbyte', 'airbyte'),
          page('Published sources of Airbyte', 'airbyte-sources'),
        ],
      },
      {
        text: 'Configuration',
        items: [
          page('The language', 'language/README'),
          page('Files and secrets', 'language/secrets'),
          page('Requests', 'language/requests'),
          page('Authentication', 'language/authentication'),
          page('Pagination', 'language/pagination'),
          page('Responses', 'language/responses'),
          page('Jobs and children', 'language/jobs'),
          page('Only new rows', 'language/incremental'),
          page('Rate limits', 'language/rate-limits'),
          page('Concurrency', 'language/concurrency'),
          page('Errors and warnings', 'language/errors'),
        ],
      },
      {
        text: 'Run it',
        items: [
          page('Destinations', 'sinks'),
          page('Is a run complete?', 'completeness'),
          page('The command', 'command'),
          page('The studio', 'studio'),
          page('On a schedule', 'deployment'),
          page('Many machines', 'scale'),
        ],
      },
      {
        text: 'In a program',
        items: [
          page('The library', 'library'),
          page('Standalone operators', 'library/operators'),
          page('Own parts in TypeScript', 'components'),
          page('Stores and formats', 'stores'),
          page('With RxJS', 'library/rxjs'),
          page('Streams, drawn as marbles', 'library/reactive'),
          page('Many values', 'library/parameters'),
          page('Typed items', 'library/typed-items'),
          page('Resuming', 'library/progress'),
          page('Testing', 'testing'),
          page('Traces and metrics', 'tracing'),
        ],
      },
      {
        text: 'About',
        items: [
          page('All documents', 'README'),
          page('Architecture', 'architecture'),
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
