import { ask } from './ask.mjs';

export async function fill() {
  // It reads what real-servers.sh has written.
}

export async function checks(url) {
  const items = await ask(`${url}/posts`);
  return [
    {
      what: `${items.length} posts by number of the page, with the total of a header`,
      configuration: 'json-server',
      attributes: { server: url },
      expected: { posts: { count: items.length, items } },
    },
  ];
}
