import { configuration, faults, job, mistakes, warnings, withJob } from '../support';

const withChild = (placeholders: unknown, endpoint = 'x/{id}', more: Record<string, unknown> = {}) =>
  withJob({ children: [{ endpoint, placeholders, ...more }] });
const PLACE = 'config.jobs[0].children[0].placeholders';

describe('placeholders', () => {
  it('language 6.6 rule 2: a field is a path or an object with a path', () => {
    const placeholders = { id: 'a.b', n: 0, f: { path: 'c', function: 'md5', args: [{ placeholder: 'value' }] } };
    expect(job(withChild(placeholders, '{id}/{n}/{f}')).children[0]?.placeholders).toEqual(placeholders);
  });

  it.each([null, '', true, [], ['a'], {}, { function: 'md5' }, { path: '' }, { path: ['a'] }])(
    'language 6.6 rule 2: refuses %j, which has no path',
    (field) => {
      expect(faults(withChild({ id: field }))).toEqual([
        `${PLACE}.id: expected a path in the parent item, or an object with "path" and "function"`,
      ]);
    },
  );

  it('language 6.6 rule 1: the level must exist', () => {
    expect(faults(withChild({ '2:id': 'id' }, 'x/{2:id}'))).toEqual([
      `${PLACE}.2:id: level 2 does not exist here: this child has 1 level(s) above it`,
    ]);
    expect(faults(withChild({ '0:id': 'id' }, 'x/{0:id}'))[0]).toContain('level 0 does not exist here');
    const grandchild = { endpoint: 'y/{2:id}', placeholders: { '2:id': 'id' } };
    expect(faults(withChild({ id: 'id' }, 'x/{id}', { children: [grandchild] }))).toEqual([]);
  });

  it('language 6.6 rule 7: warns about a placeholder that no endpoint uses, with the likely meant one', () => {
    expect(warnings(withChild({ box_id: 'id' }, 'x', { params: { box: '{box-id}' } }))).toEqual([
      `${PLACE}.box_id: is in no endpoint, params, variables, body or headers of this job or its children: it only adds a column; did you mean "box-id"?`,
    ]);
  });

  it('one that is misspelled is refused: the parameter would be sent as it stands', () => {
    const sends = (name: string) => mistakes(withChild({ pid: 'id' }, 'x', { params: { id: name } }));
    expect(sends('{pdi}')).toEqual([expect.stringContaining(`${PLACE}.pid: is in no`)]);
    expect(sends('{label}')).toEqual([]);
  });

  it.each(['params', 'body', 'headers'])('docs/language/jobs.md#placeholders: one in %s is in use', (key) => {
    const used = { [key]: { a: key === 'headers' ? ['x-{id}'] : { b: ['x-{id}'] } } };
    expect(warnings(withChild({ id: 'id' }, 'x', used))).toEqual([]);
    const off = warnings(withChild({ id: 'id' }, 'x', { ...used, placeholdersInParams: false }));
    expect(off).toHaveLength(key === 'headers' ? 0 : 1);
  });

  it('language 6.6 rule 5: a placeholder that a grandchild uses is in use', () => {
    const grandchild = { endpoint: 'y/{id}', placeholders: {} };
    expect(warnings(withChild({ id: 'id' }, 'x', { children: [grandchild] }))).toEqual([]);
  });

  it('language 6.6: placeholders must be an object', () => {
    expect(faults(withChild('id'))).toEqual([`${PLACE}: expected an object, found a string of 2 characters`]);
    expect(faults(withChild([]))).toEqual([]);
  });
});

describe('a name in an endpoint', () => {
  const ENDPOINT = 'config.jobs[0].endpoint';
  const unfilled = (name: string, hint = '.'): string =>
    `nothing fills {${name}}, so it would be sent as %7B${name}%7D${hint} Let "placeholders" of a child, "partitions" or an attribute of config have the name, or write %7B${name}%7D if that is meant`;

  it('that nothing fills is a fault, all of them at once', () => {
    const asynchronous = {
      submit: { endpoint: 'new/{kind}', values: { id: 'id' } },
      poll: { endpoint: 'new/{submit.id}/{kind}', until: { field: 'state', is: 'done' } },
    };
    const children = [
      {
        endpoint: 'a/{station}/{staton}',
        placeholders: { station: 'id' },
        children: [{ endpoint: 'b/{station}/{x}' }],
      },
      { endpoint: 'never called/{x}' },
    ];
    const pagination = { method: 'response.param', responseParam: 'next', queryParam: 'at' };
    const scrolling = { ...pagination, scrollRequest: { endpoint: 'more/{2:x}/{station}' } };
    const jobs = [
      { endpoint: 'items/{river}', placeholders: { river: 'river' }, children },
      { endpoint: 'export/{submit.id}/{poll.id}', asynchronous },
      { endpoint: 'items/{submit.id}' },
    ];
    expect(mistakes(configuration({ pagination: scrolling }, { jobs }))).toEqual([
      `api.pagination.scrollRequest.endpoint: ${unfilled('2:x')}`,
      `${ENDPOINT}: ${unfilled('river')}`,
      `config.jobs[0].children[0].endpoint: ${unfilled('staton', '; did you mean "station"?')}`,
      `config.jobs[0].children[0].children[0].endpoint: ${unfilled('x')}`,
      `config.jobs[1].endpoint: {poll.id}: the values of asynchronous.submit and asynchronous.poll have no such name`,
      `config.jobs[1].asynchronous.submit.endpoint: ${unfilled('kind')}`,
      `config.jobs[1].asynchronous.poll.endpoint: ${unfilled('kind')}`,
      `config.jobs[2].endpoint: {submit.id}: neither "asynchronous.submit" nor "asynchronous.poll" is there to give it`,
    ]);
  });

  it('is filled by placeholders, inherited ones included, partitions, windows, answers and attributes', () => {
    const asynchronous = {
      submit: { endpoint: 'new', values: { id: 'id' } },
      poll: { endpoint: 'new/{submit.id}', until: { field: 'state', is: 'done' }, values: { url: 'url' } },
    };
    const grandchild = { endpoint: 'c/{2:id}/{id}/{river}/{country}/{window.from}', placeholders: { '2:id': 'id' } };
    const child = { endpoint: 'b/{id}/{server.host}', placeholders: { id: 'id' }, children: [grandchild] };
    const jobs = [
      {
        endpoint: '{river}/{country}/{window.from}/{window.to}',
        partitions: { country: ['de'] },
        window: { from: '2024-01-01', step: '1 month' },
        children: [child],
      },
      { endpoint: '{poll.url}/{submit.id}', asynchronous },
    ];
    const attributes = { river: 'Alder', server: { host: 'a' }, nothing: null };
    expect(faults(configuration({}, { jobs, ...attributes }))).toEqual([]);
    expect(mistakes(configuration({}, { jobs: [{ endpoint: '{nothing}' }], ...attributes }))).toEqual([
      `${ENDPOINT}: ${unfilled('nothing')}`,
    ]);
  });

  it('of an iteration is filled by its attributes', () => {
    const jobs = [{ endpoint: 'levels/{river}' }];
    const iterations = [{ river: 'Alder' }, { rivr: 'Marl' }];
    expect(mistakes(configuration({}, { jobs }, { iterations }))).toEqual([
      `${ENDPOINT}: ${unfilled('river', '; did you mean "rivr"?')}`,
    ]);
  });

  it('is a warning where it may be meant: for a lenient reading, and in a query', () => {
    expect(warnings(withJob({ endpoint: 'items/{id}' }))).toEqual([`${ENDPOINT}: ${unfilled('id')}`]);
    const inQuery = withJob({ endpoint: 'items?fields=posts{message}' });
    expect(faults(inQuery)).toEqual([]);
    expect(warnings(inQuery)).toEqual([`${ENDPOINT}: ${unfilled('message')}`]);
  });

  it.each(['items/%7Bid%7D', 'items/{}', 'items/{ id }', 'items?where={"status":"open"}', 'items?n={1,2}'])(
    '%s has none',
    (endpoint) => {
      expect(warnings(withJob({ endpoint }))).toEqual([]);
      expect(faults(withJob({ endpoint }))).toEqual([]);
    },
  );
});
