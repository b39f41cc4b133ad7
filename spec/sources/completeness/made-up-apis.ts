/** APIs that are made up, with their truth: what they have, how they page, what they say of it, and one defect or none. */
import fc from 'fast-check';
import type { JsonObject } from '../../../src';

/** What an API does wrong. */
export type Defect =
  | 'position-ignored'
  | 'short-page'
  | 'page-lost'
  | 'page-doubled'
  | 'wrong-total'
  | 'early-end'
  | 'message'
  | 'clamped-page'
  | 'shape-change'
  | 'broken-body';

export interface World {
  readonly rows: number;
  readonly size: number;
  readonly hasIds: boolean;
  readonly method: 'offset' | 'pagenum' | 'response.url' | 'response.param' | 'response.link';
  /** How the API ends, where positions are counted. */
  readonly end: 'empty' | 'stays' | '404' | 'null' | 'no-list';
  readonly total: 'none' | 'body' | 'header' | 'declared';
  readonly flag: 'none' | 'has_more' | 'pages';
  /** True if positions are counted, and each page names the next one all the same. */
  readonly links: boolean;
  readonly defect?: Defect;
  /** The page that the defect is about, from 0. */
  readonly at: number;
}

const counts = ({ method }: World): boolean => method === 'offset' || method === 'pagenum';
export const pagesOf = ({ rows, size }: World): number => Math.max(1, Math.ceil(rows / size));

/** What nobody can tell from an API that means well: see docs/completeness.md. */
function isReported(world: World): boolean {
  const pages = pagesOf(world);
  // The only full page that comes again looks like an API that ignores the position.
  if (counts(world) && world.end === 'stays' && world.rows === world.size && !speaks(world)) return false;
  return pages > 0;
}

/** Returns how many rows an API says that it has. */
export const countOf = ({ defect, rows }: World): number => (defect === 'wrong-total' ? rows + 3 : rows);

/** Returns whether an API says how many items there are, or whether there are more. */
export const speaks = (world: World): boolean =>
  world.total !== 'none' || world.flag !== 'none' || (world.links && counts(world));

const shape = {
  rows: fc.integer({ min: 0, max: 24 }),
  size: fc.integer({ min: 1, max: 8 }),
  hasIds: fc.boolean(),
  method: fc.constantFrom<World['method']>('offset', 'pagenum', 'response.url', 'response.param', 'response.link'),
  end: fc.constantFrom<World['end']>('empty', 'empty', 'stays', '404', 'null', 'no-list'),
  total: fc.constantFrom<World['total']>('none', 'body', 'header', 'declared'),
  flag: fc.constantFrom<World['flag']>('none', 'has_more', 'pages'),
  links: fc.boolean(),
};

export const honest: fc.Arbitrary<World> = fc.record({ ...shape, at: fc.constant(0) }).filter(isReported);

const DEFECTS: readonly Defect[] = [
  ...(['position-ignored', 'short-page', 'page-lost', 'page-doubled', 'wrong-total'] as const),
  ...(['early-end', 'message', 'clamped-page', 'shape-change', 'broken-body'] as const),
];

export const defective: fc.Arbitrary<World> = fc
  .record({ ...shape, defect: fc.constantFrom(...DEFECTS), at: fc.integer({ min: 0, max: 5 }) })
  .map((world) => ({ ...world, at: world.at % pagesOf(world) }))
  .filter(isReported);

const BASE = 'http://api.example/';

export const rowsOf = ({ rows, hasIds }: World): readonly JsonObject[] =>
  Array.from({ length: rows }, (_, at) => (hasIds ? { id: at + 1, name: `row ${at + 1}` } : { name: `row ${at + 1}` }));

export function configurationOf(world: World): JsonObject {
  const { method, size, total } = world;
  const declared: JsonObject = total === 'declared' ? { total: 'total' } : {};
  const pagination: Record<World['method'], JsonObject> = {
    offset: { method, limit: size, ...declared },
    pagenum: { method, limit: size, ...declared },
    'response.url': { method, urlKey: 'next', ...declared },
    'response.param': { method, responseParam: 'next', queryParam: 'token', ...declared },
    'response.link': { method, ...declared },
  };
  return {
    api: { baseUrl: BASE, pagination: pagination[method], retryConfig: { maxRetries: 0 } },
    config: { jobs: [{ endpoint: 'rows', dataField: 'data' }] },
  };
}

/** Returns the `fetch` of a made-up API. */
export const fetchOf =
  (world: World): typeof fetch =>
  (input) =>
    Promise.resolve(answer(world, asked(world, new URL(input instanceof Request ? input.url : input))));

/** The page that a request asks for, and the first row of it. */
function asked({ method, size }: World, url: URL): { readonly page: number; readonly from: number } {
  const number = (name: string, fallback: number): number => Number(url.searchParams.get(name) ?? fallback);
  if (method === 'offset') return { page: Math.floor(number('offset', 0) / size), from: number('offset', 0) };
  if (method === 'pagenum') return { page: number('page', 1) - 1, from: (number('page', 1) - 1) * size };
  const page = method === 'response.param' ? Number((url.searchParams.get('token') ?? 't0').slice(1)) : number('p', 0);
  return { page, from: page * size };
}

function answer(world: World, want: { readonly page: number; readonly from: number }): Response {
  const { size, end, defect, at, rows } = world;
  const pages = pagesOf(world);
  const isAt = want.page === at;
  let { page, from } = want;
  if (counts(world) && from >= Math.max(rows, 1)) {
    if (end === '404') return respond(world, { detail: 'Invalid page.' }, page, 404);
    if (end === 'stays') [page, from] = [pages - 1, (pages - 1) * size];
  }
  if (defect === 'position-ignored') [page, from] = [0, 0];
  if (defect === 'page-doubled' && isAt && page > 0) from -= size;
  if (defect === 'page-lost' && page >= at) from += size;
  let data = rowsOf(world).slice(from, from + size);
  if (defect === 'clamped-page') data = rowsOf(world).slice(from, from + Math.max(1, size - 1));
  if (defect === 'short-page' && isAt) data = data.slice(0, -1);
  if (defect === 'early-end' && page >= at) data = [];
  if (defect === 'message' && isAt) return respond(world, { message: 'The service is busy' }, page);
  if (defect === 'shape-change' && isAt && page > 0)
    return respond(world, { ...reported(world, page, from), data: 17 }, page);
  const isOver = from >= rows;
  const list =
    data.length > 0 || end === 'empty' || !isOver || !counts(world) ? { data } : end === 'null' ? { data: null } : {};
  const body = { ...reported(world, page, from), ...list };
  if (defect === 'broken-body' && isAt) return new Response(JSON.stringify(body).slice(0, -3), { headers: JSON_TYPE });
  return respond(world, body, page);
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** What a response says beside its rows. */
function reported(world: World, page: number, from: number): JsonObject {
  const { method, size, total, flag, links, rows } = world;
  const pages = pagesOf(world);
  const hasMore = from + size < rows;
  const next = method === 'response.param' ? `t${page + 1}` : `${BASE}rows?p=${page + 1}`;
  const namesNext = method === 'response.url' || method === 'response.param' || (links && counts(world));
  return {
    ...(total === 'body' || total === 'declared' ? { total: countOf(world) } : {}),
    ...(flag === 'has_more' ? { has_more: hasMore } : {}),
    ...(flag === 'pages' ? { page: page + 1, total_pages: pages } : {}),
    ...(namesNext ? { next: hasMore ? next : null } : {}),
  };
}

function respond(world: World, body: unknown, page: number, status = 200): Response {
  const { method, total, rows, size } = world;
  const headers = new Headers(JSON_TYPE);
  if (total === 'header') headers.set('x-total-count', String(countOf(world)));
  if (method === 'response.link' && (page + 1) * size < rows)
    headers.set('link', `<${BASE}rows?p=${page + 1}>; rel="next"`);
  return new Response(JSON.stringify(body), { status, headers });
}
