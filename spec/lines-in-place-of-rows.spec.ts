/** Lines of text in place of rows, keys that come twice, and other formats than a job reads (docs/completeness.md). */
import { bytes } from './support/answers';
import type { Answer } from './support/answers';
import { outcomesOf, rows } from './support/completeness';

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
