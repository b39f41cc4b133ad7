import { ask, secret } from './ask.mjs';

export async function fill() {
  // django-rest-framework.py has filled its database.
}

export async function checks(url) {
  const { token } = await ask(`${url}/api/token/`, {
    method: 'POST',
    body: { username: 'headwater', password: secret },
  });
  const { count, results: items } = await ask(`${url}/api/stations/?page_size=100000`, {
    headers: { authorization: `Token ${token}` },
  });
  const common = {
    configuration: 'django-rest-framework',
    attributes: { server: url, user: 'headwater', '#password': secret },
    expected: { stations: { count, items } },
  };
  return [
    { ...common, what: `${count} items by the address of the next page, with a token of a login` },
    {
      ...common,
      what: 'the same by cursors',
      change: ({ config: { jobs } }) => {
        jobs[0].endpoint = 'api/stations-by-cursor/';
        delete jobs[0].total;
      },
    },
  ];
}
