import { ask, email, range, secret } from './ask.mjs';

const signedIn = async (url) => {
  const { data } = await ask(`${url}/auth/login`, { method: 'POST', body: { email, password: secret } });
  return { authorization: `Bearer ${data.access_token}` };
};

export async function fill(url) {
  await ask(`${url}/collections/stations`, { method: 'DELETE', headers: await signedIn(url), accept: [403, 404] });
  await ask(`${url}/collections`, {
    method: 'POST',
    headers: await signedIn(url),
    body: {
      collection: 'stations',
      schema: {},
      meta: {},
      fields: [
        { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true }, meta: {} },
        { field: 'name', type: 'string', schema: {}, meta: {} },
        { field: 'depth', type: 'float', schema: {}, meta: {} },
      ],
    },
  });
  for (const part of range(10))
    await ask(`${url}/items/stations`, {
      method: 'POST',
      headers: await signedIn(url),
      body: range(250).map((i) => ({ name: `station ${part * 250 + i} “é”`, depth: i / 4 })),
    });
}

export async function checks(url) {
  const read = async (path) => (await ask(`${url}${path}`, { headers: await signedIn(url) })).data;
  const [{ count }] = await read('/items/stations?aggregate[count]=*');
  const expected = { stations: { count: Number(count), items: await read('/items/stations?limit=-1&fields=*') } };
  const attributes = { server: url, user: email, '#password': secret };
  // A rate at which a run takes longer than a token lives.
  const slow =
    (limit) =>
    ({ api }) => {
      api.pagination.limit = limit;
      api.http = { ...api.http, rateLimit: { requests: 40, seconds: 1 } };
    };
  // An item of GraphQL has its id as a string.
  const pick = { stations: (item) => ({ ...item, id: Number(item.id) }) };
  // Behind a last page that is full.
  const warned = 'contains no data!';
  const checked = (configuration, what, more = {}) => ({
    configuration,
    attributes,
    expected,
    pick,
    warned,
    what,
    ...more,
  });
  return [
    checked('directus', `${count} items by offset`),
    checked('directus', 'the same in pages of 10, with tokens that live 2 s', {
      change: slow(10),
      atLeast: { 'Logged in': 3 },
    }),
    checked('directus', 'the same in files, killed again and again', {
      change: slow(20),
      kill: 12,
      atLeast: { 'Run started': 2 },
    }),
    checked('directus-graphql', `${count} items by GraphQL, with the cookie of a session`),
    checked('directus-graphql', 'the same in pages of 10, with sessions that live 2 s', {
      change: slow(10),
      atLeast: { 'Logged in': 3 },
    }),
    checked('directus-graphql', 'the same in files, killed again and again', {
      change: slow(20),
      kill: 12,
      atLeast: { 'Run started': 2 },
    }),
  ];
}
