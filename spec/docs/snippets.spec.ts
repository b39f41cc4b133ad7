/** Every snippet of the documents belongs to a spec that runs it: one that is new, and has none, fails here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import {
  ConfigurationError,
  explainConfiguration,
  parseJson,
  readConfiguration,
  requestsOf,
  schemaOf,
  validate,
} from '../../src';
import type { Json, JsonObject } from '../../src';
import { readYamlText } from '../../src/language/reading/yaml';
import { fencesOf } from '../support/page-examples';
import type { Fence } from '../support/page-examples';

const ROOT = join(__dirname, '../..');
const LANGUAGES = ['json', 'yaml', 'ts', 'js', 'sh'];
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .sort();
const languageOf = ({ info }: Fence): string => info.split(' ')[0] ?? '';
const snippetsOf = (page: string, language: string): readonly Fence[] =>
  fencesOf(readFileSync(join(ROOT, page), 'utf8')).filter((fence) => languageOf(fence) === language);

/** Pages whose JSON is a configuration, or a piece of one. */
const PIECES = /^docs\/(?:comparison-dlt|completeness|security|sinks)\.md$/;

/** Specs that take all snippets of a language from pages: whatever is added there is run. */
const ALL: readonly (readonly [pages: RegExp, languages: readonly string[], spec: string])[] = [
  [/^docs\/language\//, ['json'], 'spec/docs/worked-examples.spec.ts'],
  [/^docs\/language\/files\.md$/, ['yaml', 'ts'], 'spec/docs/snippets.spec.ts'],
  [/^docs\/airbyte\.md$/, ['yaml'], 'spec/docs/snippets.spec.ts'],
  [/^docs\/(?:airbyte\.md|language\/sinks\/.*)$/, ['sh'], 'spec/docs/commands.spec.ts'],
  [/^docs\/cookbook\//, ['yaml'], 'spec/docs/examples/cookbook.long.spec.ts'],
  [/^docs\/coming-from\//, ['yaml'], 'spec/docs/examples/coming-from.long.spec.ts'],
  [/^docs\/tutorial\.md$/, ['sh', 'yaml'], 'spec/docs/examples/guides.long.spec.ts'],
  [/^docs\/(?:library\.md|library\/.*)$/, ['ts'], 'spec/docs/examples/typescript.long.spec.ts'],
  [/^docs\/library\/reactive\.md$/, ['js'], 'spec/docs/examples/reactive-guide.long.spec.ts'],
  [/^docs\/command\.md$/, ['sh'], 'spec/docs/examples/documents.long.spec.ts'],
  [/^docs\/first-run\.md$/, ['sh'], 'spec/docs/examples/first-run.long.spec.ts'],
  [/^docs\/components\.md$/, ['ts', 'json'], 'spec/docs/examples/components-document.long.spec.ts'],
  [PIECES, ['json'], 'spec/docs/snippets.spec.ts'],
  [/^docs\/api\//, ['ts'], 'scripts/api-report.mjs'],
];

/**
 * Snippets that nothing runs yet, or that only show how to start something, by page and language, with their number: one more fails, and so does one that is run meanwhile and still
 * stands here.
 */
const NOT_RUN: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'docs/comparison-dlt.md': {
    sh: 1,
  },
  'docs/components.md': {
    sh: 1,
  },
  'docs/deployment.md': {
    sh: 1,
  },
  'docs/library.md': {
    js: 5,
  },
  'docs/performance.md': {
    sh: 1,
  },
  'docs/real-configurations.md': {
    sh: 1,
  },
  // What they show is done by spec/cluster, which needs servers.
  'docs/scale.md': {
    ts: 1,
    sh: 2,
  },
  'docs/sinks.md': {
    sh: 3,
  },
  'docs/stores.md': {
    sh: 2,
  },
  'docs/studio.md': {
    sh: 1,
  },
  'docs/testing.md': {
    js: 2,
  },
  'docs/tracing.md': {
    js: 1,
  },
};

const isRunBy = (page: string, language: string): string | undefined =>
  ALL.find(([of, languages]) => of.test(page) && languages.includes(language))?.[2];

describe('snippets of the documents', () => {
  it('belong to a spec that runs them', () => {
    const found = pages.flatMap((page) =>
      LANGUAGES.flatMap((language) => {
        const count = snippetsOf(page, language).length;
        return count === 0 || isRunBy(page, language) !== undefined ? [] : [[page, language, count] as const];
      }),
    );
    const listed = Object.entries(NOT_RUN).flatMap(([page, counts]) =>
      Object.entries(counts).map(([language, count]) => [page, language, count] as const),
    );
    expect(found).toEqual(listed);
  });

  it('belong to specs that are there, and speak of their pages', () => {
    for (const [of, languages, spec] of ALL) {
      expect([spec, existsSync(join(ROOT, spec))]).toEqual([spec, true]);
      expect(pages.some((page) => of.test(page) && languages.some((each) => snippetsOf(page, each).length > 0))).toBe(
        true,
      );
    }
  });
});

describe('JSON of the other documents', () => {
  const url = { baseUrl: 'https://api.example' };
  const settings = Object.keys(schemaOf().$defs['config']?.properties ?? {});
  /** The configurations that a piece may belong to. */
  function* around(piece: JsonObject): Generator {
    const { api = {}, config = {}, ...others } = piece;
    const job = { endpoint: 'a' };
    if (Object.keys(others).length === 0 || ['iterations', 'cache', 'image_parameters'].some((key) => key in others))
      yield { ...others, api: { ...url, ...(api as JsonObject) }, config: { jobs: [job], ...(config as JsonObject) } };
    yield { api: { ...url, ...piece }, config: { jobs: [job] } };
    yield { api: { ...url, authentication: piece }, config: { '#refreshToken': 'a1b2-c3d4', jobs: [job] } };
    if (Object.values(piece).every((each) => typeof each === 'object' && each !== null && 'mapping' in each))
      yield { api: url, config: { mappings: { a: piece }, jobs: [job] } };
    yield { api: url, config: { jobs: [{ ...job, ...piece }] } };
    // Any other key would be an attribute.
    if (Object.keys(piece).every((key) => settings.includes(key)))
      yield { api: url, config: { jobs: [job], ...piece } };
  }
  const isAccepted = (config: unknown): boolean => {
    try {
      return validate(config, { env: {}, unset: 'stand in' }).warnings.length === 0;
    } catch (error) {
      if (error instanceof ConfigurationError) return false;
      throw error;
    }
  };
  const all = pages
    .filter((page) => PIECES.test(page))
    .flatMap((page) => snippetsOf(page, 'json').map(({ line, text }) => [`${page}:${line}`, text] as const));
  const pieces = all.filter(([, text]) => !Array.isArray(parseJson(text)));

  it('shows lists of items where a page is about them', () => {
    const lists = all.filter(([, text]) => Array.isArray(parseJson(text))).map(([place]) => place.split(':')[0]);
    expect(lists).toEqual(['docs/comparison-dlt.md', 'docs/sinks.md']);
  });

  it.each(pieces)('%s is a configuration, or a piece of one', (_, text) => {
    expect([...around(parseJson(text) as JsonObject)].some(isAccepted)).toBe(true);
  });

  it('is not accepted with a key that nothing has', () => {
    expect([...around({ endpiont: 'a' })].some(isAccepted)).toBe(false);
    expect([...around({ config: { jobs: [{ endpoint: 'a', pagging: 1 }] } })].some(isAccepted)).toBe(false);
  });
});

describe('docs/airbyte.md', () => {
  it('shows a configuration that is valid, and requests what its source does', () => {
    const [text = ''] = snippetsOf('docs/airbyte.md', 'yaml').map((fence) => fence.text);
    const configuration = readYamlText(text).value;
    const { jobs } = requestsOf(configuration, { env: { API_KEY: 'a1b2-c3d4' } });
    expect(jobs.map(({ requests }) => requests[0]?.url.replace(/\?.*/, ''))).toEqual([
      'https://emailoctopus.com/api/1.6/campaigns',
      'https://emailoctopus.com/api/1.6/lists',
    ]);
  });
});

describe('docs/language/files.md', () => {
  const PAGE = 'docs/language/files.md';
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-snippets-'))));
  afterEach(() => rm(folder, { recursive: true }));
  const [first, ...parts] = snippetsOf(PAGE, 'yaml').map(({ text }) => text);
  const env = { TOKEN: 'a1b2-c3d4' };
  const read = async (name: string): Promise<unknown> => (await readConfiguration(join(folder, name))).configuration;

  it('shows a configuration in YAML, which asks what it says', async () => {
    await writeFile(join(folder, 'a.yaml'), first ?? '');
    const [job] = requestsOf(await read('a.yaml'), { env }).jobs;
    expect(job?.requests.map(({ url }) => url)).toEqual(['https://api.example.com/stations?river=ALD']);
    expect(job?.requests[0]?.curl).toContain(`-H 'authorization: ''Bearer '"$TOKEN"`);
  });

  it('shows parts by their names, which make one configuration', async () => {
    expect(parts).toHaveLength(2);
    for (const text of parts) {
      const [, name = ''] = /^# (\S+\.yaml)$/m.exec(text) ?? [];
      await writeFile(join(folder, name), text);
    }
    const configuration = await read('stations.yaml');
    const [job] = requestsOf(configuration, { env }).jobs;
    expect(job?.requests.map(({ url }) => url)).toEqual(['https://api.example.com/stations']);
    expect(explainConfiguration(configuration, { env })[0]?.sentences.join(' ')).toContain('Authentication "bearer"');
    const whole = await readConfiguration(join(folder, 'stations.yaml'));
    expect(whole.placeOf('api.authentication.token')).toEqual({ line: 4, column: 42 });
  });

  it('shows a module, which is valid', () => {
    const [module] = snippetsOf(PAGE, 'ts').map(({ text }) => text);
    const [, literal = ''] = /export default defineConfig\((\{[\s\S]*\})\);/.exec(module ?? '') ?? [];
    expect(validate(evaluated(literal)).jobs).toBe(1);
  });
});

/** The value of an object literal. */
const evaluated = (literal: string): Json => JSON.parse(JSON.stringify(runInNewContext(`(${literal})`))) as Json;
