import { ask, email, range, secret } from './ask.mjs';

const signedIn = async (url) => {
  const { token } = await ask(`${url}/api/admins/auth-with-password`, {
    method: 'POST',
    body: { identity: email, password: secret },
  });
  return { authorization: token };
};

export async function fill(url) {
  const headers = await signedIn(url);
  await ask(`${url}/api/collections/stations`, { method: 'DELETE', headers, accept: [404] });
  const field = (name, type) => ({ name, type, options: {} });
  await ask(`${url}/api/collections`, {
    method: 'POST',
    headers,
    body: { name: 'stations', type: 'base', schema: [field('name', 'text'), field('depth', 'number')] },
  });
  for (const i of range(1500))
    await ask(`${url}/api/collections/stations/records`, {
      method: 'POST',
      headers,
      body: { name: `station ${i}`, depth: i / 7 },
    });
}

export async function checks(url) {
  const headers = await signedIn(url);
  const page = (number) => ask(`${url}/api/collections/stations/records?perPage=500&page=${number}`, { headers });
  const pages = [await page(1), await page(2), await page(3)];
  const expected = { stations: { count: pages[0].totalItems, items: pages.flatMap(({ items }) => items) } };
  const common = {
    configuration: 'pocketbase',
    // Behind a last page that is full.
    warned: 'contains no data!',
    attributes: { server: url, user: email, '#password': secret },
    expected,
  };
  return [
    { ...common, what: `${expected.stations.count} records by keyset in a filter` },
    { ...common, what: 'the same in pages of 7', change: ({ api }) => (api.pagination.limit = 7) },
    {
      ...common,
      what: 'the same in files, killed again and again',
      change: ({ api }) => (api.pagination.limit = 7),
      kill: 12,
      atLeast: { 'Run started': 3 },
    },
  ];
}
