import { configuration, faults, job, run, warnings, withJob } from '../support';

describe('jobs', () => {
  it('specification 2.3, language 6.1: takes every field', () => {
    const input = withJob({
      params: { since: { time: 'previousStart' } },
      method: 'post',
      headers: { A: ['1', 2] },
      dataField: { path: 'a|b', delimiter: '|' },
      dataType: 'orders',
      responseFilter: 'meta',
      responseFilterDelimiter: '/',
      userData: { day: 1 },
      id: 7,
      requestLimit: '5',
    });
    expect(job(input)).toEqual({
      path: 'config.jobs[0]',
      id: '7',
      name: '7',
      endpoint: 'items',
      method: 'POST',
      params: { since: { time: 'previousStart' } },
      equalPages: 'stop',
      optionalFields: [],
      columnTypes: {},
      functionsInLists: false,
      placeholdersInParams: true,
      headers: { A: ['1', 2] },
      dataField: { path: 'a|b', delimiter: '|' },
      dataType: 'orders',
      responseFilter: ['meta'],
      responseFilterDelimiter: '/',
      userData: { day: 1 },
      children: [],
      placeholders: {},
      requestLimit: 5,
      rateLimit: [],
      concurrency: 1,
    });
  });

  it.each([undefined, null, {}, ''])('language 1.3: config.jobs is required; %j is absent', (jobs) => {
    expect(faults(configuration({}, { jobs }))).toEqual(['config.jobs: required: an array of at least one job']);
  });

  it('an empty list of jobs is accepted, with a warning', () => {
    expect(warnings(configuration({}, { jobs: [] }))).toEqual(['config.jobs: is empty: there is nothing to do']);
  });

  it('language 1.3: jobs is a list of objects', () => {
    expect(faults(configuration({}, { jobs: 'items' }))).toEqual([
      'config.jobs: expected an array of jobs, found a string of 5 characters',
    ]);
    expect(faults(configuration({}, { jobs: { endpoint: 'x' } }))).toEqual([
      'config.jobs: expected an array of jobs, found an object',
    ]);
    expect(faults(configuration({}, { jobs: ['items', 5] }))).toEqual([
      'config.jobs[0]: expected an object, found a string of 5 characters',
      'config.jobs[1]: expected an object, found 5',
    ]);
  });

  it.each([undefined, null, ''])('language 6.1: endpoint is required; %j is absent', (endpoint) => {
    expect(faults(withJob({ endpoint }))).toEqual([
      'config.jobs[0].endpoint: required: the path or URL that the job requests',
    ]);
  });

  it('language 2.2: functions are not evaluated in endpoints', () => {
    expect(faults(withJob({ endpoint: { function: 'concat' } }))[0]).toContain('functions are not evaluated here');
  });

  it('language 6.1: params must be an object; [] is the empty one', () => {
    expect(job(withJob({ params: [] })).params).toEqual({});
    expect(faults(withJob({ params: 'a=b' }))).toEqual([
      'config.jobs[0].params: expected an object, found a string of 3 characters',
    ]);
  });

  it('language 6.1: children must be an array of jobs', () => {
    expect(job(withJob({ children: [] })).children).toEqual([]);
    expect(faults(withJob({ children: { endpoint: 'x' } }))).toEqual([
      'config.jobs[0].children: expected an array of jobs, found an object',
    ]);
    expect(faults(withJob({ children: [{ endpoint: 'x', children: [{}] }] }))).toEqual([
      'config.jobs[0].children[0].children[0].endpoint: required: the path or URL that the job requests',
    ]);
  });

  it('language 3.1: refuses another method, with the likely meant one', () => {
    expect(faults(withJob({ method: 'XGET' }))).toEqual([
      'config.jobs[0].method: expected one of GET, POST, FORM, PUT, PATCH, DELETE, graphql, found "XGET"; did you mean "GET"?',
    ]);
  });

  it('docs/language/expressions.md#places: headers take functions and references, and refuse other objects', () => {
    const headers = { A: { attr: 'x' }, B: [{ time: 'currentStart' }, 'b'], C: { function: 'time' } };
    expect(job(withJob({ headers })).headers).toEqual(headers);
    expect(faults(withJob({ headers: { A: { attr: 'x', b: 1 } } }))).toEqual([
      'config.jobs[0].headers.A: expected a string, a number, a boolean, a function, {"jinja": …}, {"attr": …} or {"time": …}, or an array of these, found type "object"',
    ]);
  });

  it.each([
    ['put', 'PUT'],
    ['PATCH', 'PATCH'],
    ['Delete', 'DELETE'],
  ])('docs/language/requests.md#bodies: method %s', (method, expected) => {
    expect(job(withJob({ method })).method).toBe(expected);
  });

  it.each([[{ a: 1 }], [{}], [[1, { b: 2 }]]])('docs/language/requests.md#bodies: %j is a body', (body) => {
    expect(job(withJob({ body })).body).toEqual(body);
  });

  it.each([null, [], '', false])('docs/language/requests.md#bodies: %j is no body', (body) => {
    expect(job(withJob({ body }))).not.toHaveProperty('body');
  });

  it('docs/language/requests.md#bodies: a body is an object or a list', () => {
    expect(faults(withJob({ body: 'text' }))).toEqual([
      'config.jobs[0].body: expected an object or an array, which is sent as JSON, found a string of 4 characters',
    ]);
  });

  it('docs/language/expressions.md#places: a function in a list that is not searched is worth a warning', () => {
    const params = {
      ids: [{ a: [{ function: 'time' }] }],
      plain: [{ attr: 'x' }],
      deep: { in: [{ function: 'time' }] },
    };
    expect(warnings(withJob({ params }))).toEqual([
      'config.jobs[0].params.ids: is sent as it is: functions in arrays are only evaluated with "functionsInLists": true beside params',
    ]);
    expect(warnings(withJob({ params, functionsInLists: true }))).toEqual([]);
    expect(job(withJob({ functionsInLists: true })).functionsInLists).toBe(true);
  });

  it('docs/language/jobs.md#batches: batch with its defaults, and with every option', () => {
    const childOf = (changes: object) =>
      job(withJob({ children: [{ endpoint: 'a/{id}', placeholders: { id: 'id' }, ...changes }] })).children[0];
    expect(childOf({})).not.toHaveProperty('batch');
    expect(childOf({ batch: '50' })?.batch).toEqual({ size: 50, separator: ',', style: 'join' });
    expect(childOf({ batch: 2, batchSeparator: '|', batchStyle: 'repeat' })?.batch).toEqual({
      size: 2,
      separator: '|',
      style: 'repeat',
    });
  });

  it('docs/language/jobs.md#batches: faults and settings without effect', () => {
    const child = { endpoint: 'a/{id}', placeholders: { id: 'id' } };
    expect(faults(withJob({ children: [{ ...child, batch: -1, batchStyle: 'repeated' }] }))).toEqual([
      'config.jobs[0].children[0].batch: expected an integer of 1 or more, found -1',
      'config.jobs[0].children[0].batchStyle: expected one of join, list, repeat, brackets, found "repeated"; did you mean "repeat"?',
    ]);
    expect(warnings(withJob({ batch: 5, children: [{ ...child, batchSeparator: ';' }] }))).toEqual([
      'config.jobs[0].batch: has no effect here: this job is no child of another, so it has no parent item',
      'config.jobs[0].children[0].batchSeparator: has no effect without "batch", the number of parent items',
    ]);
    expect(warnings(withJob({ batchStyle: 'list' }))).toEqual([
      'config.jobs[0].batchStyle: has no effect without "batch", the number of parent items',
    ]);
    expect(warnings(withJob({ batchStyle: 'brackets' }))).toEqual([]);
  });

  it('language 6.3: dataField is a path, or an object with a path', () => {
    expect(job(withJob({ dataField: 'a.b' })).dataField).toEqual({ path: 'a.b', delimiter: '.' });
    expect(job(withJob({ dataField: { path: 'a' } })).dataField).toEqual({ path: 'a', delimiter: '.' });
    expect(job(withJob({ dataField: {} }))).not.toHaveProperty('dataField');
    expect(faults(withJob({ dataField: { delimiter: '/' } }))).toEqual([
      'config.jobs[0].dataField.path: required: the path of the items in the response',
    ]);
    expect(faults(withJob({ dataField: ['a'] }))).toEqual([
      'config.jobs[0].dataField: expected a path as a string, or an object with "path", found an array',
    ]);
  });

  it('language 6.4: responseFilter is one path or a list of them', () => {
    expect(job(withJob({ responseFilter: ['a', 'b[].c'] })).responseFilter).toEqual(['a', 'b[].c']);
    expect(job(withJob({ responseFilter: '' })).responseFilter).toEqual([]);
    expect(faults(withJob({ responseFilter: ['a', 5] }))).toEqual([
      'config.jobs[0].responseFilter[1]: expected a string, found 5',
    ]);
  });

  it('language 6.5: dataType is the endpoint as written by default', () => {
    const child = { endpoint: 'box/{box-id}', dataType: '', placeholders: { 'box-id': 'id' } };
    expect(job(withJob({ children: [child] })).children[0]?.dataType).toBe('box/{box-id}');
  });

  it('language 8.8: userData is an object or a scalar', () => {
    expect(job(withJob({ userData: 'x' })).userData).toBe('x');
    expect(job(withJob({ userData: ['x'] })).userData).toEqual({ '0': 'x' });
    expect(job(withJob({ userData: [] }))).not.toHaveProperty('userData');
  });

  it('language 1.2: warns about unknown keys, with the likely place', () => {
    expect(
      warnings(withJob({ datafield: 'a', __NAME: 'x', mappings: {}, limit: 5, propertyOrder: 1, file: 'a.csv' })),
    ).toEqual([
      'config.jobs[0].datafield: has no effect: unknown key; did you mean "dataField"?',
      'config.jobs[0].__NAME: has no effect: unknown key',
      'config.jobs[0].mappings: has no effect here; mappings are written in config.mappings, under the dataType of the job',
      'config.jobs[0].limit: has no effect here; it belongs to api.pagination',
      'config.jobs[0].propertyOrder: has no effect: unknown key',
      'config.jobs[0].file: has no effect here; where items go is said by the destination, as in --to csv:FOLDER, and "dataType" names the table',
    ]);
  });

  it('language 6.6, 6.7: placeholders and recursionFilter have no effect on a top-level job', () => {
    expect(warnings(withJob({ placeholders: { id: 'id' }, recursionFilter: 'a==b' }))).toEqual([
      'config.jobs[0].placeholders: has no effect here: this job is no child of another, so it has no parent item',
      'config.jobs[0].recursionFilter: has no effect here: this job is no child of another, so it has no parent item',
    ]);
  });

  it('language 6.1: the default id depends on the content only', () => {
    const [a, b] = run(configuration({}, { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] })).settings.jobs;
    expect(a?.id).not.toBe(b?.id);
    expect(job(withJob({ endpoint: 'a' })).id).toBe(a?.id);
  });
});
