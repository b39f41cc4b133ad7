import { importHar } from '../../../src/explore/import/har';
import { entry, har } from './har-text';

describe('importHar', () => {
  it('takes lists of JSON, and puts the pages of one list together, the first page first', () => {
    const { beginnings, title, warnings } = importHar(
      har(
        entry('https://h.example/app', '<html>', { type: 'text/html' }),
        entry('https://h.example/me', { id: 1, name: 'me' }),
        entry('https://h.example/api/ships?page=2&size=2', [{ id: 3 }]),
        entry('https://h.example/api/ships?page=1&size=2', [{ id: 1 }, { id: 2 }]),
        entry('https://h.example/api/ships?page=1&size=2&kind=tug', [{ id: 2 }]),
        entry('https://ads.example/list', [{ id: 9 }]),
        entry('https://h.example/api/gone', [{ id: 9 }], { status: 404 }),
      ),
    );
    expect(title).toBe('h.example');
    expect(
      beginnings.map(({ id, name, recorded }) => [id, name, recorded?.map(({ url }) => new URL(url).search)]),
    ).toEqual([
      ['/api/ships', 'ships', ['?page=1&size=2', '?page=2&size=2']],
      ['/api/ships#2', 'ships_2', ['?page=1&size=2&kind=tug']],
    ]);
    expect(warnings).toEqual(['Lists of other hosts are left out: https://ads.example.']);
  });

  it('keeps bodies of requests and decodes those of responses', () => {
    const [beginning] = importHar(
      har(entry('https://h.example/search', [{ id: 1 }], { post: '{"q":1}', base64: true, headers: { 'X-A': '1' } })),
    ).beginnings;
    expect(beginning?.request).toEqual({
      ...{ method: 'POST', url: 'https://h.example/search', body: '{"q":1}', headers: { 'x-a': '1' } },
    });
    expect(beginning?.recorded?.[0]?.body).toBe('[{"id":1}]');
  });

  it.each([
    ['text', 'no JSON'],
    ['{"log":{}}', 'no log.entries'],
    ['{"log":{"entries":[]}}', 'no response in it has a list'],
    ['{"log":{"entries":[null,1,{"request":[],"response":{"content":{"text":5}}}]}}', 'no response in it has a list'],
  ])('refuses %s', (text, message) => expect(() => importHar(text)).toThrow(message));
});
