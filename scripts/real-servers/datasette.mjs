import { ask } from './ask.mjs';

export async function fill() {
  // It reads what real-servers.sh has written.
}

export async function checks(url) {
  const {
    rows: [count],
  } = await ask(`${url}/rivers.json?sql=select+count(*)+from+stations&_shape=arrays`);
  const pages = await Promise.all(
    [0, 1000, 2000, 3000].map((from) =>
      ask(`${url}/rivers.json?sql=select+*+from+stations+order+by+id+limit+1000+offset+${from}&_shape=objects`),
    ),
  );
  return [
    {
      what: `${count[0]} rows by the address of the next page`,
      configuration: 'datasette',
      attributes: { server: url },
      expected: { stations: { count: count[0], items: pages.flatMap(({ rows }) => rows) } },
    },
  ];
}
