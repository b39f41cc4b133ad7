/** Lines of text in place of rows, keys that come twice, and other formats than a job reads (docs/completeness.md). */
import { bytes } from '../support/answers';
import type { Answer } from '../support/answers';
import { outcomesOf, rows } from '../support/completeness';

const play = outcomesOf();
const csv = (text: string): Answer => bytes(text, { 'content-type': 'text/csv' });
const incomplete = (warnings: readonly string[]): readonly string[] =>
  warnings.filter((warning) => warning.startsWith('INCOMPLETE'));
const jobs = [{ endpoint: 'items', format: 'csv' }];
const streamed = [{ endpoint: 'items', format: 'csv', stream: true }];

describe('a line of CSV without rows', () => {
  const pages =
    (third: string) =>
    (url: URL): Answer => {
      const page = Number(url.searchParams.get('page') ?? 1);
      return csv(page === 3 ? third : page > 3 ? 'id,n\n' : `id,n\n${page}1,a\n${page}2,b\n`);
    };
  const PAGES = { pagination: { method: 'pagenum' }, jobs };

  it.each(['Error,too many requests\n', 'Error: too many requests\n'])('that tells of an error: %j', async (line) => {
    const { codes, items } = await play(pages(line), PAGES);
    expect(codes).toEqual(['ERROR_IN_BODY']);
    expect(items).toHaveLength(4);
  });

  it.each(['Please come back tomorrow\n', 'a,b\n'])('that is not the header of the pages before: %j', async (line) => {
    const { error, warnings, finished } = await play(pages(line), PAGES);
    expect(error).toBeUndefined();
    expect(incomplete(warnings)).toHaveLength(1);
    expect(finished?.outcome).toBe('incomplete');
  });

  it.each(['id,n\n', '"id","n"\n', 'id,n,note\n', '\n'])('ends the pages in order: %j', async (line) => {
    const { error, warnings, finished } = await play(pages(line), PAGES);
    expect(error).toBeUndefined();
    expect(incomplete(warnings)).toEqual([]);
    expect(finished?.outcome).toBe('complete');
  });

  it.each([
    ['held', jobs],
    ['streamed', streamed],
  ])('that is the only response, %s, is a warning where it is a message', async (_, own) => {
    const { error, warnings, finished } = await play(() => csv('Error: too many requests\n'), { jobs: own });
    expect(error).toBeUndefined();
    expect(incomplete(warnings)).toEqual([expect.stringContaining('reads like a message')]);
    expect(warnings.filter((warning) => warning.startsWith('EMPTY_BODY'))).toEqual([]);
    expect(finished?.outcome).toBe('incomplete');
  });

  it.each([
    ['held', jobs],
    ['streamed', streamed],
  ])('that has the names of columns, %s, is in order', async (_, own) => {
    const { error, warnings, finished } = await play(() => csv('id,error_message\n'), { jobs: own });
    expect(error).toBeUndefined();
    expect(incomplete(warnings)).toEqual([]);
    expect(finished?.outcome).toBe('complete');
  });
});

describe('a streamed job', () => {
  it('that reads JSON takes no XML', async () => {
    const xml = bytes('<r><i>1</i></r>', { 'content-type': 'application/xml' });
    const { error } = await play(() => xml, { jobs: [{ endpoint: 'items', dataField: 'rows', stream: true }] });
    expect(error).toMatchObject({ code: 'API_NOT_JSON' });
  });
});

describe('a key that comes twice', () => {
  const list = JSON.stringify(rows(0, 35));
  it.each<[string, string, object]>([
    ['where the items are detected', `{"items":${list},"items":[{"id":99}]}`, {}],
    ['at dataField', `{"items":${list},"items":[{"id":99}]}`, { dataField: 'items' }],
    ['on the way there', `{"data":{"items":${list}},"data":{"items":[]}}`, { dataField: 'data.items' }],
  ])('%s is a warning', async (_, body, job) => {
    const { error, warnings } = await play(() => bytes(body, { 'content-type': 'application/json' }), {
      jobs: [{ endpoint: 'items', ...job }],
    });
    expect(error).toBeUndefined();
    expect(incomplete(warnings)).toEqual([expect.stringContaining('twice, where its items are')]);
  });

  it('elsewhere is none', async () => {
    const body = `{"note":1,"note":2,"items":${list}}`;
    const { items, warnings } = await play(() => bytes(body, { 'content-type': 'application/json' }), {});
    expect(items).toHaveLength(35);
    expect(incomplete(warnings)).toEqual([]);
  });
});

describe('rows of CSV without a header', () => {
  const PAGES = ['id,n\n1,a\n2,b\n3,c\n', '4,d\n5,e\n6,f\n', '7,g\n8,h\n9,i\n'];
  const ONE_COLUMN = ['id\n1\n2\n', '3\n4\n', '5\n6\n'];
  const paged =
    (pages: readonly string[]) =>
    (url: URL): Answer =>
      csv(pages[Number(url.searchParams.get('page') ?? 1) - 1] ?? '');
  const told = [{ endpoint: 'items', format: 'csv' }];
  const guessed = [{ endpoint: 'items' }];

  it.each<[string, readonly string[], object, readonly object[]]>([
    ['are an error', PAGES, { method: 'pagenum' }, told],
    ['are an error by their content type', PAGES, { method: 'pagenum' }, guessed],
    ['are an error where the page is not full', PAGES, { method: 'pagenum', limit: 3 }, told],
    ['are an error with one column', ONE_COLUMN, { method: 'pagenum' }, told],
  ])('on later pages %s', async (_, pages, pagination, own) => {
    const { codes, message } = await play(paged(pages), { pagination, jobs: own });
    expect(codes).toContain('COLUMNS_DIFFER');
    expect(message).toContain(`"exclude", such as "id==id"`);
    expect(message).not.toContain('more of its calls');
  });

  it('are read as the message says', async () => {
    const own = [{ endpoint: 'items', format: { type: 'csv', header: ['id', 'n'] }, exclude: 'id==id' }];
    const { error, items } = await play(paged(PAGES), { pagination: { method: 'pagenum' }, jobs: own });
    expect(error).toBeUndefined();
    expect(items.map((item) => (item as { id: string }).id)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  it.each([
    ['a column is added', 'id,n,note\n4,d,x\n'],
    ['a column is gone', 'id\n4\n'],
    ['columns have another order', 'n,id\nd,4\n'],
  ])('are none where %s', async (_, second) => {
    const answer = paged([PAGES[0] as string, second]);
    const { error, items } = await play(answer, { pagination: { method: 'pagenum' }, jobs: told });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(4);
  });

  it.each([
    ['held', {}],
    ['streamed', { stream: true }],
  ])('in another call of a child, %s, are a warning', async (_, own) => {
    const answer = ({ pathname }: URL): unknown =>
      pathname === '/items' ? rows(1, 3) : csv(pathname.endsWith('/1') ? 'id,n\n1,a\n2,b\n' : '3,c\n4,d\n');
    const child = { endpoint: 'c/{i}', dataType: 'c', format: 'csv', placeholders: { i: 'id' }, ...own };
    const { error, warnings, finished } = await play(answer, { jobs: [{ endpoint: 'items', children: [child] }] });
    expect(error).toBeUndefined();
    expect(incomplete(warnings)).toEqual([expect.stringMatching(/2 calls of c\/\{i\} have columns .*"3", "c"/)]);
    expect(finished?.outcome).toBe('incomplete');
  });

  it('in another partition are an error', async () => {
    const answer = (url: URL): Answer => csv(url.searchParams.get('part') === 'a' ? 'id,n\n1,a\n' : '3,c\n4,d\n');
    const own = [
      { endpoint: 'items', format: 'csv', params: { part: { partition: 'part' } }, partitions: { part: ['a', 'b'] } },
    ];
    expect((await play(answer, { jobs: own })).codes).toEqual(['COLUMNS_DIFFER']);
  });
});
