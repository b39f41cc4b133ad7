/** Each recipe of docs/cookbook/ gives all that an API of its shape has, and a mistake in it is told. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { IncompleteError, deliver, extract, parseJson, sinks, stringifyJson } from '../../../src';
import type { Json, JsonObject, RunEvent } from '../../../src';
import { startServer } from '../../support/api-server';
import type { Handler } from '../../support/api-server';
import { queryDuckDB } from '../../support/duckdb';
import { exchangeOf, fencesOf } from '../../support/page-examples';
import { changingStations } from '../../support/shapes/changing';
import { clientCredentials, expiringLogin, keyAndRateLimit } from '../../support/shapes/guarded';
import * as paged from '../../support/shapes/paged';
import { BASE } from '../../support/shapes/shape';
import type { Shape } from '../../support/shapes/shape';
import * as shaped from '../../support/shapes/shaped';
import { duckdbPlace } from '../../support/tables';

/** A server that remembers is a new one for each run. */
const shapes: Readonly<Record<string, () => Shape>> = {
  'page-numbers': () => paged.pageNumbers,
  'offset-and-limit': () => paged.offsetAndLimit,
  cursor: () => paged.cursor,
  'next-link': () => paged.nextLink,
  'link-header': () => paged.linkHeader,
  'last-id': () => paged.lastId,
  'search-by-post': () => paged.searchByPost,
  graphql: () => paged.graphqlConnection,
  'client-credentials': clientCredentials,
  'expiring-login': expiringLogin,
  'key-and-rate-limit': keyAndRateLimit,
  'parents-and-children': () => shaped.parentsAndChildren,
  'asynchronous-export': shaped.asynchronousExport,
  'other-shapes': () => shaped.otherShapes,
  'capped-windows': () => shaped.cappedSearch,
  'nested-lists': () => shaped.nestedLists,
};

const FOLDER = join(__dirname, '../../../docs/cookbook');
const pageOf = (name: string): string => readFileSync(join(FOLDER, `${name}.md`), 'utf8');
const fencesIn = (name: string, info: string): readonly string[] =>
  fencesOf(pageOf(name)).flatMap((fence) => (fence.info === info ? [fence.text] : []));

/** The one configuration of a page, for a server of ours. */
function configurationOf(name: string, origin: string): JsonObject {
  const [text = '', ...others] = fencesIn(name, 'yaml');
  expect(others).toEqual([]);
  expect(text).toContain(BASE);
  return parse(text.replaceAll(BASE, origin)) as JsonObject;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396. */
function patched(value: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const changed = new Map<string, Json>(isObject(value) ? Object.entries(value as Record<string, Json>) : []);
  for (const [key, change] of Object.entries(patch as Record<string, Json>)) {
    if (change === null) changed.delete(key);
    else changed.set(key, patched(changed.get(key), change));
  }
  return Object.fromEntries(changed);
}

/** Takes the codes of warnings. */
const collecting =
  (reported: string[]) =>
  (event: RunEvent): void => {
    if (event.type === 'warning') reported.push(event.code);
  };

/** What a run gives, by `dataType`, and the codes of what it says. */
async function outcomeOf(configuration: Json): Promise<{ items: Record<string, Json[]>; reported: readonly string[] }> {
  const items: Record<string, Json[]> = {};
  const reported: string[] = [];
  try {
    const extraction = extract(configuration as JsonObject, { onEvent: collecting(reported) });
    for await (const page of extraction.pages()) (items[page.job.dataType] ??= []).push(...page.items);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    reported.push(
      String(error.code),
      ...(error instanceof IncompleteError ? error.doubts.map(({ code }) => code) : []),
    );
  }
  return { items, reported };
}

/** One string is compared faster than 25,000. */
const linesOf = (items: readonly Json[]): string => items.map((item) => stringifyJson(item)).join('\n');

const byId = ([one]: Json[], [other]: Json[]): number => Number(one) - Number(other);

/** What a page says that the server answers is what it answers. */
async function expectExchange(text: string, origin: string): Promise<void> {
  const { request, requestHeaders = {}, requestBody, status, headers = {}, response } = exchangeOf(text);
  const [method = '', path = ''] = request.split(' ');
  const body = typeof requestBody === 'string' ? { body: requestBody } : {};
  const answer = await fetch(`${origin}${path}`, { method, headers: requestHeaders, ...body });
  const written = (value: string): string => value.replaceAll(origin, BASE);
  expect(answer.status).toBe(status);
  for (const [name, value] of Object.entries(headers)) expect(written(answer.headers.get(name) ?? '')).toBe(value);
  expect(parseJson(written(await answer.text()))).toEqual(
    typeof response === 'string' ? parseJson(response) : response,
  );
}

const served = async (answers: Handler): Promise<string> => (await startServer(answers)).origin;

describe('the cookbook', () => {
  it('has a recipe for each shape, and an index of all', () => {
    const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual([...Object.keys(shapes), 'incremental'].map((name) => `${name}.md`).sort());
    expect(pages.filter((name) => !pageOf('README').includes(`](${name})`))).toEqual([]);
  });

  describe.each(Object.entries(shapes))('%s.md', (name, shapeOf) => {
    it('gives all that the API has', async () => {
      const shape = shapeOf();
      const { items, reported } = await outcomeOf(configurationOf(name, await served(shape.answers)));
      expect(reported).toEqual(shape.warns ?? []);
      expect(Object.keys(items).sort()).toEqual(Object.keys(shape.items).sort());
      for (const [dataType, all] of Object.entries(shape.items))
        expect(linesOf(items[dataType] ?? [])).toEqual(linesOf(all));
    });

    it('shows what the API answers', async () => {
      const origin = await served(shapeOf().answers);
      const shown = fencesIn(name, 'http');
      expect(shown).not.toEqual([]);
      for (const text of shown) await expectExchange(text, origin);
    });

    it('names what a run says to the mistake', async () => {
      const shape = shapeOf();
      const configuration = configurationOf(name, await served(shape.answers));
      const { reported } = await outcomeOf(patched(configuration, shape.slip));
      expect(reported).toContain(shape.reported);
      expect(pageOf(name)).toContain(`\`${shape.reported}\``);
    });
  });

  describe('incremental.md', () => {
    it('has all changes after the second run, the late one as well', async () => {
      const api = changingStations();
      const server = await startServer(api.answers);
      const configuration = configurationOf('incremental', server.origin);
      const place = await duckdbPlace();
      try {
        await deliver(configuration, [place.to()]);
        const before = server.requests.length;
        api.change();
        await deliver(configuration, [place.to()]);
        const rows = await place.rows('stations');
        const named = (all: readonly JsonObject[]) =>
          linesOf(all.map(({ id, name }) => [id ?? null, name ?? null]).sort(byId));
        expect(named(rows ?? [])).toEqual(named(api.all()));
        expect(api.all()).toHaveLength(251);
        expect(server.requests.length - before).toBe(1);
      } finally {
        await place.drop();
      }
    });

    it('shows what the API answers', async () => {
      const origin = await served(changingStations().answers);
      for (const text of fencesIn('incremental', 'http')) await expectExchange(text, origin);
    });

    it('names what a run says to a parameter that the API ignores', async () => {
      const api = changingStations();
      const [job] = (configurationOf('incremental', '').config as { jobs: JsonObject[] }).jobs;
      const wrong = { config: { jobs: [patched(job, { incremental: { param: 'since' } })] } };
      const configuration = patched(configurationOf('incremental', await served(api.answers)), wrong) as JsonObject;
      const reported: string[] = [];
      const options = { onEvent: collecting(reported) };
      const place = await duckdbPlace();
      try {
        await deliver(configuration, [place.to()], options);
        expect(reported).toEqual([]);
        await deliver(configuration, [place.to()], options);
      } finally {
        await place.drop();
      }
      expect(reported).toEqual(['INCREMENTAL_PARAM_IGNORED']);
      expect(pageOf('incremental')).toContain('`INCREMENTAL_PARAM_IGNORED`');
    });
  });

  it('nested-lists.md: the query of the page joins all lines', async () => {
    const { nestedLists, ORDERS } = shaped;
    const folder = mkdtempSync(join(tmpdir(), 'headwater-cookbook-'));
    const file = join(folder, 'out.duckdb');
    try {
      await deliver(configurationOf('nested-lists', await served(nestedLists.answers)), [sinks.duckdb(file)]);
      const [query = ''] = fencesIn('nested-lists', 'sql');
      const all = ORDERS.flatMap(({ id, lines }) => lines.map(({ sku, quantity }) => [id, 'Bern', sku, quantity]));
      expect(await queryDuckDB(file, query)).toEqual(all);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
