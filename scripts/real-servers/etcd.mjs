import { ask, range, secret } from './ask.mjs';

const base64 = (text) => Buffer.from(text).toString('base64');

const signedIn = async (url) => {
  const { token } = await ask(`${url}/v3/auth/authenticate`, {
    method: 'POST',
    body: { name: 'root', password: secret },
  });
  return { authorization: token };
};

const call = async (url, path, body) =>
  ask(`${url}/v3/${path}`, { method: 'POST', body, headers: await signedIn(url) });

export async function fill(url) {
  const open = (path, body) => ask(`${url}/v3/auth/${path}`, { method: 'POST', body, accept: [400] });
  await open('user/add', { name: 'root', password: secret });
  await open('role/add', { name: 'root' });
  await open('user/grant', { user: 'root', role: 'root' });
  await open('enable', {});
  await call(url, 'kv/deleterange', { key: base64('s'), range_end: base64('t') });
  // Beside those that are asked for there are others.
  for (const name of ['station', 'stations', 'stations0']) await call(url, 'kv/put', { key: base64(name), value: '' });
  // Keys whose order is another one than that of their base64.
  for (const part of range(19)) {
    const success = range(79).map((i) => ({
      requestPut: {
        key: base64(`stations/${i % 4 === 0 ? 'é~' : ''}${part * 79 + i}${'-'.repeat(i % 3)}`),
        value: base64(i % 5 === 0 ? '' : `“station” ${i}`),
      },
    }));
    await call(url, 'kv/txn', { success });
  }
}

export async function checks(url) {
  const text = (value = '') => Buffer.from(value, 'base64').toString();
  const { kvs, count } = await call(url, 'kv/range', { key: base64('stations/'), range_end: base64('stations0') });
  const decoded = (each) => ({ ...each, name: text(each.key), text: text(each.value) });
  const items = kvs.map(decoded);
  const common = {
    configuration: 'etcd',
    attributes: { server: url, user: 'root', '#password': secret },
    expected: { keys: { count: Number(count), items } },
  };
  return [
    { ...common, what: `${count} keys by keyset, with a token of a login` },
    {
      ...common,
      // The first page has 6, and each other one five more: 1501 fill the last one.
      what: 'the same in pages of 6 keys, of which the last is full',
      change: ({ api }) => (api.pagination.limit = 6),
    },
    {
      ...common,
      what: 'the same with tokens that nobody has used for 2 s',
      change: ({ api }) => (api.http = { rateLimit: { requests: 1, seconds: 3 } }),
      atLeast: { 'Logged in': 2 },
    },
    {
      ...common,
      what: 'the same in files, killed again and again',
      change: ({ api }) => (api.pagination.limit = 10),
      kill: 12,
      atLeast: { 'Run started': 2 },
    },
    {
      ...common,
      what: 'then what has changed since, with the keys of the last revision',
      since: () => changed(url, decoded),
    },
  ];
}

/** Changes five keys. Those of the last revision before them are asked for again: a transaction has the same for all its keys. */
async function changed(url, decoded) {
  const read = async () =>
    (await call(url, 'kv/range', { key: base64('stations/'), range_end: base64('stations0') })).kvs;
  const last = Math.max(...(await read()).map((each) => Number(each.mod_revision)));
  for (const i of range(5)) await call(url, 'kv/put', { key: base64(`stations/new ${i}`), value: base64(`${i}`) });
  const items = (await read()).filter((each) => Number(each.mod_revision) >= last).map(decoded);
  return { keys: { count: 79 + 5, items } };
}
