import { createHmac } from 'node:crypto';
import { ask, range, secret } from './ask.mjs';

const register = async (url, user, admin = false) => {
  const path = `${url}/_synapse/admin/v1/register`;
  const { nonce } = await ask(path);
  const mac = createHmac('sha1', secret)
    .update([nonce, user, secret, admin ? 'admin' : 'notadmin'].join('\0'))
    .digest('hex');
  return ask(path, { method: 'POST', body: { nonce, username: user, password: secret, admin, mac }, accept: [400] });
};

/** Without a refresh token a login lives as long as the test. */
const signedIn = async (url, user = 'headwater') => {
  const { access_token: token } = await ask(`${url}/_matrix/client/v3/login`, {
    method: 'POST',
    body: { type: 'm.login.password', identifier: { type: 'm.id.user', user }, password: secret },
  });
  return { authorization: `Bearer ${token}` };
};

/** 300 users, with the one who reads: the last page of 100 is full. 30 rooms, with messages in some of them. */
export async function fill(url) {
  await register(url, 'headwater', true);
  const headers = await signedIn(url);
  for (const i of range(299))
    await ask(`${url}/_synapse/admin/v2/users/@reader-${i}:headwater.example`, {
      method: 'PUT',
      headers,
      body: { displayname: `Zoë “${i}”` },
    });
  for (const i of range(30)) {
    const { room_id: room } = await ask(`${url}/_matrix/client/v3/createRoom`, {
      method: 'POST',
      headers,
      body: { name: `river ${i % 10}` },
    });
    for (const user of range(i % 4))
      await ask(`${url}/_synapse/admin/v1/join/${encodeURIComponent(room)}`, {
        method: 'POST',
        headers,
        body: { user_id: `@reader-${user}:headwater.example` },
      });
    for (const message of range(i % 3 === 0 ? 40 : 1))
      await ask(`${url}/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${i}-${message}`, {
        method: 'PUT',
        headers,
        body: { msgtype: 'm.text', body: `The level is ${message} cm` },
      });
  }
}

/** Users and rooms by their ids, members and messages as somebody sees them who is in the room. */
export async function checks(url) {
  const headers = await signedIn(url);
  const read = (path) => ask(`${url}/${path}`, { headers });
  const { users } = await read('_synapse/admin/v2/users?limit=100000&deactivated=true');
  const { joined_rooms: ids } = await read('_matrix/client/v3/joined_rooms');
  const { rooms } = await read('_synapse/admin/v1/rooms?limit=100000');
  const members = [];
  const messages = [];
  for (const id of ids) {
    const room = `_matrix/client/v3/rooms/${encodeURIComponent(id)}`;
    members.push(...Object.keys((await read(`${room}/joined_members`)).joined));
    messages.push(...(await read(`${room}/messages?dir=f&limit=1000`)).chunk.map((event) => event.event_id));
  }
  const common = {
    configuration: 'synapse',
    attributes: { server: url, user: 'headwater', '#password': secret },
    expected: {
      users: { count: 300, items: users.map(withoutSeen) },
      rooms: { count: ids.length, items: rooms },
      members: { count: members.length, items: members },
      messages: { count: messages.length, items: messages },
    },
    // When somebody was seen last changes meanwhile, and events say how long ago they were.
    pick: { users: withoutSeen, messages: ({ event_id: id }) => id },
    // Runs without a state keep no refresh token for the next one.
    warned: ['contains no data!', 'name a file for them with --state'],
  };
  const pages =
    (size, requests) =>
    ({ api, config: { jobs } }) => {
      api.pagination.scrollers.list.limit = size;
      jobs[1].children[1].params.limit = size;
      api.http = { rateLimit: { requests, seconds: 1 } };
    };
  return [
    { ...common, what: `300 users, ${ids.length} rooms, ${members.length} members, ${messages.length} messages` },
    {
      ...common,
      what: 'the same in pages of 10, with tokens that live 2 s and are refreshed',
      change: pages(10, 30),
      atLeast: { 'Logged in': 3, '_matrix/client/v3/refresh': 2 },
    },
    {
      ...common,
      what: 'the same in files, killed again and again',
      change: pages(20, 50),
      kill: 12,
      atLeast: { 'Run started': 2 },
    },
  ];
}

function withoutSeen(item) {
  return Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'last_seen_ts'));
}
