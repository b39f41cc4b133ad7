import type { Json, Reply } from '../../../src/core/model';
import { declaredTotal, usualTotal } from '../../../src/sources/completeness/metadata';
import type { Total } from '../../../src/sources/completeness/metadata';
import { aResponse } from '../../support/requests';

const reply = (data: Json, headers: Record<string, string> = {}): Reply => ({
  response: { ...aResponse(), headers },
  data,
});

describe('usualTotal', () => {
  it.each<[string, Json, Record<string, string>, Total | undefined]>([
    ['at the root', { total: 7, items: [] }, {}, { value: 7, where: '"total"' }],
    ['as a string', { total_count: '7' }, {}, { value: 7, where: '"total_count"' }],
    ['zero', { total: 0 }, {}, { value: 0, where: '"total"' }],
    ['below meta', { meta: { total: 7 } }, {}, { value: 7, where: '"meta.total"' }],
    ['below the way to the items', { d: { count: 7, items: [] } }, {}, { value: 7, where: '"d.count"' }],
    ['of Elasticsearch', { hits: { total: { value: 7, relation: 'eq' } } }, {}, { value: 7, where: '"hits.total"' }],
    ['the more telling of two', { count: 2, total_count: 7 }, {}, { value: 7, where: '"total_count"' }],
    ['in a header', [], { 'x-total-count': '7' }, { value: 7, where: 'the header x-total-count' }],
    ['in Content-Range', [], { 'content-range': 'items 0-4/7' }, { value: 7, where: 'the header content-range' }],
    ['unknown in Content-Range', [], { 'content-range': '0-4/*' }, undefined],
    [
      'a lower bound',
      { hits: { total: { value: 10000, relation: 'gte' } } },
      {},
      { value: 10000, where: '"hits.total"', isAtLeast: true },
    ],
    ['an upper bound', { hits: { total: { value: 10000, relation: 'lte' } } }, {}, undefined],
    ['Hydra', { 'hydra:totalItems': 9 }, {}, { value: 9, where: '"hydra:totalItems"' }],
    [
      'OAI-PMH',
      { d: { resumptionToken: { '@completeListSize': '9', '#text': 'abc' } } },
      {},
      { value: 9, where: '"d.resumptionToken.@completeListSize"' },
    ],
    ['Algolia', { nbHits: 9 }, {}, { value: 9, where: '"nbHits"' }],
    ['Lighthouse', { d: { paginatorInfo: { total: 9 } } }, {}, { value: 9, where: '"d.paginatorInfo.total"' }],
    ['the count of this page', { count: 5 }, {}, undefined],
    ['a fraction', { total: 7.5 }, {}, undefined],
    ['negative', { total: -1 }, {}, undefined],
    ['a string of other kind', { total: '7 items' }, {}, undefined],
    ['of an object beside', { user: { total: 7 } }, {}, undefined],
    ['none', { items: [] }, {}, undefined],
  ])('%s', (_, data, headers, total) => {
    expect(usualTotal(reply(data, headers), ['d', 'items'], 5)).toEqual(total);
  });
});

describe('declaredTotal', () => {
  it.each<[string, Json, Record<string, string>, object, number | undefined]>([
    ['a path', { a: { b: 7 } }, {}, { path: 'a.b' }, 7],
    ['a path to nothing', { a: 7 }, {}, { path: 'a.b' }, undefined],
    ['a path to no number', { a: 'x' }, {}, { path: 'a' }, undefined],
    ['a header', null, { 'x-rows': '7' }, { header: 'x-rows' }, 7],
    ['no such header', null, {}, { header: 'x-rows' }, undefined],
  ])('%s', (_, data, headers, place, value) => {
    expect(declaredTotal(reply(data, headers), place as { path: string })?.value).toBe(value);
  });
});
