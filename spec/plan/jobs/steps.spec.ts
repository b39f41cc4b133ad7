import * as E from 'fp-ts/Either';
import type { Json, JsonObject } from '../../../src/core/model';
import { stepsOf } from '../../../src/plan/jobs/steps';
import type { ItemStep } from '../../../src/plan/plan';
import { BUILT_IN } from '../../../src/run/built-in-parts';

const SCOPE = { functions: BUILT_IN.function, known: {} };
const CALL = {
  times: { previousStart: 0, currentStart: Date.UTC(2024, 2, 5) / 1000 },
  bindings: new Map([['river', { text: 'ALD' }]]),
};

function changed(steps: readonly JsonObject[], item: JsonObject): JsonObject | undefined {
  const made = stepsOf(steps, 'steps', SCOPE);
  if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
  const all = made.right?.(CALL) ?? [];
  return all.reduce<JsonObject | undefined>((so, step: ItemStep) => (so === undefined ? so : step(so)), item);
}

const faultOf = (step: JsonObject): string => {
  const made = stepsOf([step], 'steps', SCOPE);
  return E.isLeft(made) ? `${made.left[0]?.path}: ${made.left[0]?.message}` : 'none';
};

const kept = (jinja: string): JsonObject => ({ keep: { jinja } });

describe('the steps of items', () => {
  it.each<[string, readonly JsonObject[], JsonObject, JsonObject | undefined]>([
    ['keep what is true', [kept('{{ record.a > 1 }}')], { a: 2 }, { a: 2 }],
    ['drop what is not', [kept('{{ record.a > 1 }}')], { a: 1 }, undefined],
    ['drop what a template cannot tell', [kept('{{ record.b.c }}')], { a: 1 }, undefined],
    ['set a constant', [{ set: ['b'], value: 'x' }], { a: 1 }, { a: 1, b: 'x' }],
    ['set below a member', [{ set: ['b', 'c'], value: 1 }], { b: { d: 2 } }, { b: { d: 2, c: 1 } }],
    ['set an item of the item', [{ set: 'b', value: { item: 'a.c' } }], { a: { c: 3 } }, { a: { c: 3 }, b: 3 }],
    ['fill in placeholders', [{ set: 'r', value: { jinja: '{{ r }}', with: { r: '{river}' } } }], {}, { r: 'ALD' }],
    ['know the time', [{ set: 'd', value: { jinja: '{{ today_utc() }}' } }], {}, { d: '2024-03-05' }],
    ['set on condition', [{ set: 'b', value: 1, if: { jinja: '{{ record.a }}' } }], { a: 0 }, { a: 0 }],
    ['see what was set before', [{ set: 'b', value: 1 }, kept('{{ record.b == 1 }}')], {}, { b: 1 }],
    ['remove', [{ remove: ['a', 'b'] }], { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
    ['remove in lists', [{ remove: ['a', '*', 'b'] }], { a: [{ b: 1, c: 2 }] }, { a: [{ c: 2 }] }],
    ['remove what is not there', [{ remove: ['x', 'y'] }], { a: 1 }, { a: 1 }],
    ['flatten', [{ flatten: { path: ['a'], delete: true } }], { a: { b: 1 }, c: 2 }, { c: 2, b: 1 }],
    ['flatten with a prefix', [{ flatten: { path: 'a', prefix: 'a_' } }], { a: { b: 1 } }, { a: { b: 1 }, a_b: 1 }],
    ['flatten nothing over a member', [{ flatten: { path: 'a' } }], { a: { b: 1 }, b: 2 }, { a: { b: 1 }, b: 2 }],
    ['replace', [{ flatten: { path: 'a', replace: true } }], { a: { b: 1 }, c: 2 }, { b: 1 }],
    ['lower keys', [{ keys: 'lower' }], { Ab: 1 }, { ab: 1 }],
  ])('%s', (_, steps, item, wanted) => {
    expect(changed(steps, item)).toEqual(wanted);
  });

  it.each<[Json, Json, Json]>([
    [5, { type: 'string' }, '5'],
    [true, { type: ['null', 'string'] }, 'True'],
    ['5', { type: 'integer' }, 5],
    ['x', { type: 'integer' }, 'x'],
    ['1.5', { type: ['number', 'null'] }, 1.5],
    ['yes', { type: 'boolean' }, true],
    ['maybe', { type: 'boolean' }, 'maybe'],
    [null, { type: ['null', 'string'] }, null],
    [5, { type: ['string', 'number'] }, 5],
    ['a', { type: 'array', items: { type: 'string' } }, ['a']],
    [[1, 2], { type: 'array', items: { type: 'string' } }, ['1', '2']],
    [{ b: 1 }, { type: 'object', properties: { b: { type: 'string' } } }, { b: '1' }],
  ])('cast %j by %j to %j', (value, schema, wanted) => {
    expect(changed([{ cast: { properties: { a: schema } } }], { a: value })).toEqual({ a: wanted });
  });

  it.each<[JsonObject, string]>([
    [{}, 'steps[0]: expected one of'],
    [{ keep: true, remove: 'a' }, 'steps[0]: expected one of'],
    [{ keys: 'upper' }, 'steps[0].keys: expected "lower"'],
    [{ remove: { a: 1 } }, 'steps[0].remove: expected a key'],
    [{ cast: 'x' }, 'steps[0].cast: expected a JSON schema'],
    [{ set: 'a', value: { jinja: '{{ b }}' } }, "steps[0].value.jinja: User script error: the name 'b' has no value"],
  ])('refuse %j', (step, complaint) => {
    expect(faultOf(step)).toContain(complaint);
  });
});
