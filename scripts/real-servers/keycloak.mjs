import { URLSearchParams } from 'node:url';
import { ask, range, secret } from './ask.mjs';

const signedIn = async (url) => {
  const { access_token: token } = await ask(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: 'admin-cli',
      username: 'headwater',
      password: secret,
    }),
  });
  return { authorization: `Bearer ${token}` };
};

const REALM = {
  realm: 'rivers',
  enabled: true,
  groups: range(40).map((i) => ({ name: `group ${i}`, attributes: { number: [`${i}`] } })),
  clients: [
    {
      clientId: 'reader',
      secret,
      serviceAccountsEnabled: true,
      standardFlowEnabled: false,
      // Tokens live for two seconds.
      attributes: { 'access.token.lifespan': '2' },
    },
  ],
  users: [
    {
      username: 'service-account-reader',
      serviceAccountClientId: 'reader',
      enabled: true,
      clientRoles: { 'realm-management': ['view-users', 'query-users', 'query-groups', 'view-realm'] },
    },
    ...range(1200).map((i) => ({
      username: `reader-${i}`,
      email: `reader-${i}@example.com`,
      firstName: 'Zoë',
      lastName: `Number ${i}`,
      enabled: i % 5 !== 0,
      groups: i % 4 === 0 ? [] : [`/group ${i % 40}`],
    })),
  ],
};

export async function fill(url) {
  await ask(`${url}/admin/realms/rivers`, { method: 'DELETE', headers: await signedIn(url), accept: [404] });
  await ask(`${url}/admin/realms`, { method: 'POST', headers: await signedIn(url), body: REALM });
}

export async function checks(url) {
  const headers = await signedIn(url);
  const admin = `${url}/admin/realms/rivers`;
  const count = await ask(`${admin}/users/count`, { headers });
  const users = await ask(`${admin}/users?briefRepresentation=false&max=-1`, { headers });
  const { count: groupCount } = await ask(`${admin}/groups/count`, { headers });
  const groups = await ask(`${admin}/groups?briefRepresentation=false&max=-1`, { headers });
  // By group, while the configuration asks by user.
  const memberships = [];
  for (const group of groups) {
    const members = await ask(`${admin}/groups/${group.id}/members?max=-1`, { headers });
    memberships.push(...members.map(() => group.id));
  }
  const common = {
    configuration: 'keycloak',
    attributes: { server: url, clientId: 'reader', '#clientSecret': secret },
    expected: {
      users: { count, items: users.map(withoutAccess) },
      groups: { count: groupCount, items: groups.map(withoutAccess) },
      memberships: { count: memberships.length, items: memberships },
    },
    // What somebody may do with it depends on who asks.
    pick: { users: withoutAccess, groups: withoutAccess, memberships: ({ id }) => id },
    // Of those who are in no group.
    warned: 'calls of admin/realms/rivers/users/{user}/groups had no items',
  };
  return [
    {
      ...common,
      what: `${count} users, ${groupCount} groups and ${memberships.length} memberships, with tokens that live 2 s`,
      atLeast: { 'Logged in': 2 },
    },
    {
      ...common,
      what: 'the same with users in pages of 7',
      change: ({ api }) => (api.pagination.limit = 7),
      atLeast: { 'Logged in': 2 },
    },
    {
      ...common,
      what: 'the same in files, killed again and again',
      change: ({ api }) => (api.pagination.limit = 50),
      kill: 12,
      atLeast: { 'Run started': 2 },
    },
  ];
}

function withoutAccess(item) {
  return Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'access'));
}
