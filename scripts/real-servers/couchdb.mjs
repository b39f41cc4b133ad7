import { ask, range, secret } from './ask.mjs';

const headers = { authorization: `Basic ${Buffer.from(`headwater:${secret}`).toString('base64')}` };

export async function fill(url) {
  await ask(`${url}/stations`, { method: 'DELETE', headers, accept: [404] });
  await ask(`${url}/stations`, { method: 'PUT', headers });
  const docs = range(2345).map((i) => ({
    _id: `${i % 3 === 0 ? 'é "q" \\ &' : 's'}${i}`,
    name: `station ${i}`,
    depth: i / 7,
  }));
  await ask(`${url}/stations/_bulk_docs`, { method: 'POST', headers, body: { docs } });
  // From now on nobody reads without a session.
  await ask(`${url}/stations/_security`, {
    method: 'PUT',
    headers,
    body: { admins: { names: ['headwater'], roles: [] }, members: { names: ['headwater'], roles: [] } },
  });
  const guest = await fetch(`${url}/stations/_all_docs`);
  if (guest.status !== 401) throw new Error(`CouchDB answers guests with ${guest.status}`);
}

export async function checks(url) {
  const { doc_count: count } = await ask(`${url}/stations`, { headers });
  const { rows: items } = await ask(`${url}/stations/_all_docs?include_docs=true`, { headers });
  const common = {
    configuration: 'couchdb',
    attributes: { server: url, user: 'headwater', '#password': secret },
    expected: { stations: { count, items } },
  };
  return [
    { ...common, what: `${count} documents by keyset, with the cookie of a session`, atLeast: { 'POST ': 1 } },
    {
      ...common,
      what: 'the same in pages of 5 keys that begin at the last one, with a new session each second',
      change: ({ api }) => {
        api.pagination.limit = 5;
        api.authentication.expires = 1;
      },
      atLeast: { 'Logged in': 3 },
    },
    {
      ...common,
      what: 'the same in files, killed again and again',
      change: ({ api }) => (api.pagination.limit = 20),
      kill: 12,
      atLeast: { 'Run started': 3 },
    },
  ];
}
