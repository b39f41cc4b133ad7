/** docs/extensions/response-formats.md over whole runs. */
import { gzipSync } from 'node:zlib';
import { extract, validate } from '../../../src';
import type { Item, RunEvent } from '../../../src';
import { bytes } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Routes } from '../../support/api-server';
import { exampleAt } from './examples';

describe('response formats', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  const serve = async (routes: Routes): Promise<void> => {
    server = await startServer(routes);
  };
  const warnings: string[] = [];
  async function itemsOf(config: object): Promise<readonly Item[]> {
    warnings.length = 0;
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'warning') warnings.push(event.code);
    };
    const items: Item[] = [];
    for await (const item of extract(config, { onEvent })) items.push(item);
    return items;
  }
  const withJob = (job: object, http: object = {}): object => ({
    api: { baseUrl: server.origin, http },
    config: { jobs: [{ endpoint: 'a', ...job }] },
  });

  it('examples/extensions/response-formats.json is valid and reads each format', async () => {
    await serve({
      '/files/gauges.jsonl.gz': bytes(gzipSync('{"id":9007199254740993}\n{"id":2}\n'), {
        'content-type': 'application/gzip',
      }),
      '/files/levels.csv': bytes(Buffer.from('Pegelstände\nid;höhe\n1;2,50\n', 'latin1'), {
        'content-type': 'text/csv',
      }),
      '/files/rivers.xml': bytes('<network><river id="ALD">Alder</river><river id="MAR">Marl</river></network>'),
    });
    const config = exampleAt(server.origin, 'response-formats.json');
    expect(validate(config)).toMatchObject({ jobs: 3, warnings: [] });
    expect(await itemsOf(config)).toEqual([
      { id: 9007199254740993n },
      { id: 2 },
      { id: '1', höhe: '2,50' },
      { '@id': 'ALD', '#text': 'Alder' },
      { '@id': 'MAR', '#text': 'Marl' },
    ]);
    expect(warnings).toEqual([]);
  });

  it('pagination by offset works on CSV, and on a single element of XML', async () => {
    const page = (rows: string) => bytes(`id\n${rows}`, { 'content-type': 'text/csv' });
    const pages = [page('1\n2\n'), page('3\n')];
    let asked = 0;
    server = await startServer(() => pages[asked++] ?? page(''));
    const api = { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } };
    expect(await itemsOf({ api, config: { jobs: [{ endpoint: 'a' }] } })).toEqual([
      { id: '1' },
      { id: '2' },
      { id: '3' },
    ]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/a?limit=2&offset=0', '/a?limit=2&offset=2']);
  });

  it('dataField takes one element as one item, and none as none', async () => {
    await serve({ '/one': bytes('<r><i>1</i></r>'), '/none': bytes('<r/>') });
    const job = { format: 'xml', dataField: 'r.i' };
    expect(await itemsOf(withJob({ ...job, endpoint: 'one' }))).toEqual(['1']);
    expect(await itemsOf(withJob({ ...job, endpoint: 'none' }))).toEqual([]);
    expect(warnings).toEqual(['NO_DATA']);
  });

  it('language 2.8: without a format, JSON is JSON whatever its content type', async () => {
    await serve({ '/a': bytes('[{"a":1}]', { 'content-type': 'text/csv' }) });
    expect(await itemsOf(withJob({}))).toEqual([{ a: 1 }]);
  });

  it('without a format, a single line of JSON lines is JSON, with a warning; several are lines', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    await serve({ '/one': bytes('{"id":1,"n":[5]}\n', headers), '/two': bytes('{"id":1}\n{"id":2}\n', headers) });
    expect(await itemsOf(withJob({ endpoint: 'one' }))).toEqual([5]);
    // The object is the item, by its id.
    expect(warnings).toEqual(['FORMAT_GUESSED', 'INCOMPLETE']);
    expect(await itemsOf(withJob({ endpoint: 'one', format: 'jsonl' }))).toEqual([{ id: 1, n: [5] }]);
    expect(await itemsOf(withJob({ endpoint: 'two' }))).toEqual([{ id: 1 }, { id: 2 }]);
    expect(warnings).toEqual([]);
  });

  it('the format of a job counts more than that of api.http; json turns guessing off', async () => {
    await serve({ '/a': bytes('<a/>', { 'content-type': 'text/xml' }) });
    expect(await itemsOf(withJob({ format: 'text', dataField: 'data' }, { format: 'csv' }))).toEqual(['<a/>']);
    await expect(itemsOf(withJob({}, { format: 'json' }))).rejects.toMatchObject({ code: 'API_NOT_JSON' });
  });

  it('a faulty body is an error that names the request, the line and the reason', async () => {
    await serve({ '/a': bytes('id,n\n1,2\n3\n') });
    await expect(itemsOf(withJob({ format: 'csv' }))).rejects.toMatchObject({
      code: 'API_FORMAT',
      message: `Invalid CSV response from API: GET ${server.origin}/a: line 3 has another number of fields (1) than the first line. id,n 1,2 3`,
    });
  });

  it('language 2.9: with an ignored status, a faulty body is errorData, and no content type is asked', async () => {
    await serve({ '/a': bytes('<a/>', { 'content-type': 'text/xml' }, 404) });
    const http = { ignoreErrors: [404] };
    expect(await itemsOf(withJob({ dataField: '.' }, http))).toEqual([{ errorData: '<a/>' }]);
    expect(await itemsOf(withJob({ dataField: '.', format: 'jsonl' }, http))).toEqual([{ errorData: '<a/>' }]);
    expect(await itemsOf(withJob({ dataField: '.', format: 'xml' }, http))).toEqual([{ a: '' }]);
  });
});
