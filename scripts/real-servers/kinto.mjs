import { ask, range, secret } from './ask.mjs';

const COUNT = 1234;
const headers = { authorization: `Basic ${Buffer.from(`root:${secret}`).toString('base64')}` };
const records = (url) => `${url}/v1/buckets/rivers/collections/stations/records`;
const put = (url, data) => ask(url, { method: 'PUT', headers, body: { data } });

/** Many records at once, as Kinto takes them. */
async function store(url, ids, made) {
  for (const part of range(Math.ceil(ids.length / 25))) {
    const requests = ids.slice(part * 25, part * 25 + 25).map((id) => ({
      method: 'PUT',
      path: `/v1/buckets/rivers/collections/stations/records/${id}`,
      body: { data: made(id) },
    }));
    await ask(`${url}/v1/batch`, { method: 'POST', headers, body: { requests } });
  }
}

export async function fill(url) {
  await ask(`${url}/v1/buckets/rivers`, { method: 'DELETE', headers, accept: [404, 403] });
  await put(`${url}/v1/buckets/rivers`, {});
  await put(`${url}/v1/buckets/rivers/collections/stations`, {});
  await store(
    url,
    range(COUNT).map((i) => `s${i}`),
    (id) => ({ name: `station “${id}”`, tags: [id, null], at: { depth: 1.5 } }),
  );
}

const total = async (url) =>
  Number((await fetch(records(url), { method: 'HEAD', headers })).headers.get('total-records'));

/** As the server lists them by its own addresses of next pages. */
async function listed(address) {
  const response = await fetch(address, { headers });
  const { data } = await response.json();
  const next = response.headers.get('next-page');
  return next === null ? data : [...data, ...(await listed(next))];
}

export async function checks(url) {
  const count = await total(url);
  const common = {
    configuration: 'kinto',
    attributes: { server: url, username: 'root', '#password': secret },
    expected: { stations: { count, items: await listed(records(url)) } },
  };
  return [
    { ...common, what: `${count} records by keyset` },
    {
      ...common,
      // The last page has as many records as the others.
      what: 'the same in pages of 2, of which the last is full',
      change: ({ api }) => (api.pagination.limit = 2),
      warned: 'contains no data',
    },
    {
      ...common,
      what: 'the same by the address of the next page in a header',
      change: ({ api }) => (api.pagination = { method: 'response.url', urlHeader: 'Next-Page' }),
    },
    {
      ...common,
      what: 'the same in files, killed again and again',
      change: ({ api }) => (api.pagination.limit = 20),
      kill: 12,
      atLeast: { 'Run started': 2 },
    },
    { ...common, what: 'then what has changed or was deleted since', since: () => changed(url) },
  ];
}

/** Changes three records, and deletes one. The newest record before them is asked for again, unless it is told to come after it. */
async function changed(url) {
  const [newest] = await listed(`${records(url)}?_limit=1&_sort=-last_modified&_fields=last_modified`);
  await store(url, ['s1', 's7', 'new'], (id) => ({ name: `changed ${id}` }));
  await ask(`${records(url)}/s9`, { method: 'DELETE', headers });
  const items = await listed(`${records(url)}?_since=${newest.last_modified}`);
  return { stations: { count: 4, items } };
}
