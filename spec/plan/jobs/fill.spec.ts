import type { Json } from '../../../src/core/model';
import { fillJson, fillText, mayHoldPlaceholder } from '../../../src/plan/jobs/fill';

const bindings = new Map([
  ['id', { text: '7' }],
  ['2:box', { text: '{id}' }],
  ['ids', { text: 'a,b', values: ['a', 'b'] }],
]);

describe('fillText', () => {
  it.each([
    ['box/{id}', 'box/7'],
    ['{id}{id}', '77'],
    ['{2:box}', '{id}'],
    ['{other}/{}/{ id }', '{other}/{}/{ id }'],
    ['{{id}}', '{7}'],
    ['{ids}', 'a,b'],
  ])('language 6.6: %s becomes %s', (written, expected) => {
    expect(fillText(written, bindings)).toBe(expected);
  });
});

describe('fillJson (docs/language/jobs.md#placeholders)', () => {
  const raw = { '{id}': '{id}', deep: [{ a: 'x-{id}' }, 1, null, true], ids: '{ids}', more: ['{ids};{id}'] };

  it('replaces texts at any depth and leaves keys and other values', () => {
    expect(fillJson(raw, bindings, false)).toEqual({
      '{id}': '7',
      deep: [{ a: 'x-7' }, 1, null, true],
      ids: 'a,b',
      more: ['a,b;7'],
    });
  });

  it('docs/language/jobs.md#batches: a text that is nothing but a placeholder of a batch may become a list', () => {
    expect(fillJson(raw, bindings, true)).toMatchObject({
      ids: ['a', 'b'],
      more: ['a,b;7'],
      deep: [{ a: 'x-7' }, 1, null, true],
    });
  });
});

describe('mayHoldPlaceholder', () => {
  it.each<[Json, boolean]>([
    ['{id}', true],
    [{ a: [{ b: 'x{id}' }] }, true],
    [{ a: ['b', 1, null] }, false],
    [{ '{id}': 'a' }, false],
    ['{}', false],
  ])('%j: %s', (raw, expected) => {
    expect(mayHoldPlaceholder(raw)).toBe(expected);
  });
});
