// What the API of a soak holds, as arithmetic: the server makes pages from it, and the client knows what must arrive.
//
// Every item has an id of its own, from 0 without gaps. A flat job is a list of pages. A tree is a list of pages of
// parents; each parent has a call of its own, and every third of these calls has a second page.

const FLAT_JOBS = 8;
const TREES = 4;
export const ITEMS_PER_PAGE = 5;
export const PARENTS_PER_PAGE = 100;
/** Items in the first page of a parent, and in the second one. */
export const CHILDREN = [3, 2];

export const hasSecondPage = (parent) => parent % 3 === 0;
const secondPages = (parents) => Math.ceil(parents / 3);

/** The jobs of a run with about this many requests; each knows where its ids begin. */
export function shapeOf(requests) {
  const flatPages = Math.max(2, Math.round((requests * 0.4) / FLAT_JOBS));
  const requestsOfTreePage = 1 + PARENTS_PER_PAGE * (4 / 3);
  const treePages = Math.max(2, Math.round((requests * 0.6) / TREES / requestsOfTreePage));
  const parents = treePages * PARENTS_PER_PAGE;
  let id = 0;
  const take = (count) => {
    const first = id;
    id += count;
    return first;
  };
  const flat = Array.from({ length: FLAT_JOBS }, (_, at) => ({
    name: `flat-${at}`,
    pages: flatPages,
    first: take(flatPages * ITEMS_PER_PAGE),
  }));
  const trees = Array.from({ length: TREES }, (_, at) => ({
    name: `tree-${at}`,
    pages: treePages,
    parents,
    first: take(parents),
    firstChild: take(parents * (CHILDREN[0] + CHILDREN[1])),
  }));
  // A parent without a second page leaves its ids out.
  const missing = TREES * (parents - secondPages(parents)) * CHILDREN[1];
  return {
    flat,
    trees,
    ids: id,
    items: id - missing,
    requests: FLAT_JOBS * flatPages + TREES * (treePages + parents + secondPages(parents)),
  };
}

/** The configuration of such a run. */
export const configurationFor = (baseUrl, { flat, trees, requests }) => ({
  api: {
    baseUrl,
    pagination: { method: 'response.url', urlKey: 'next' },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login' },
      apiRequest: { headers: { 'x-token': 'token' } },
      expires: { response: 'expires_in', relative: true },
    },
  },
  config: {
    concurrency: flat.length + trees.length,
    ordered: false,
    prefetch: 4,
    requestLimit: requests + 1,
    jobs: [
      ...flat.map(({ name }) => ({ endpoint: name, dataField: 'items' })),
      ...trees.map(({ name }) => ({
        endpoint: name,
        dataField: 'items',
        concurrency: 16,
        children: [{ endpoint: `${name}/{id}`, dataField: 'items', placeholders: { id: 'id' } }],
      })),
    ],
  },
});
