import { stringifyJson } from '../../../src/core/json/stringify';
import { parseJson } from '../../../src/core/json/parse';
import type { JsonObject } from '../../../src/core/model';
import {
  credentialStore,
  keptValues,
  withKeptValues,
  withoutKeptValues,
} from '../../../src/run/state/kept-credentials';

const values = new Map([['token', 't1']]);

describe('what a state keeps of logins (docs/language/authentication.md#kept-tokens)', () => {
  it('stands under names that the host encrypts; the rest of the state stays', () => {
    const state = withKeptValues({ '10': 1, '2': 2 }, 'A', values, ['A']);
    expect(stringifyJson(state)).toBe(
      '{"2":2,"10":1,"headwater.credentials":[{"#login":"A","values":{"#token":"t1"}}]}',
    );
    expect(keptValues(parseJson(stringifyJson(state)) as JsonObject, 'A')).toEqual(values);
  });

  it('belongs to one login; those that the configuration has no longer are dropped', () => {
    const both = withKeptValues(withKeptValues({}, 'A', values, ['A', 'B']), 'B', new Map([['x', 'y']]), ['A', 'B']);
    expect(keptValues(both, 'A')).toEqual(values);
    expect(keptValues(both, 'B')).toEqual(new Map([['x', 'y']]));
    expect(keptValues(withKeptValues(both, 'C', values, ['B', 'C']), 'A')).toEqual(new Map());
  });

  it.each([
    [{}],
    [{ 'headwater.credentials': 5 }],
    [{ 'headwater.credentials': [5, { '#login': 'A', values: null }] }],
  ])('of %j there is nothing to read, and it can be written', (state) => {
    expect(keptValues(state, 'A')).toEqual(new Map());
    const written = withKeptValues(state, 'A', values, ['A']);
    expect(written).toEqual({ 'headwater.credentials': [{ '#login': 'A', values: { '#token': 't1' } }] });
    expect(keptValues(written, 'A')).toEqual(values);
  });

  it('reads only what the host has encrypted, and only strings', () => {
    const given = { '#token': 't1', token: 't2', '#list': ['t3'], other: 4 };
    expect(keptValues({ 'headwater.credentials': [null, { '#login': 'A', values: given }] }, 'A')).toEqual(values);
  });

  it('is left out where others read; the rest of the state stays', () => {
    const state = withKeptValues({ mine: 1 }, 'A', values, ['A']);
    expect(withoutKeptValues(state)).toEqual({ mine: 1 });
  });
});

describe('the store of a run', () => {
  it('saves what is new, and lets a value stay that is not given again', async () => {
    const saved: JsonObject[] = [];
    const store = credentialStore({ mine: 1 }, ['A'], (state) => void saved.push(state));
    await store.write(
      'A',
      new Map([
        ['token', 't1'],
        ['other', 'o1'],
      ]),
    );
    await store.write('A', new Map([['token', 't2']]));
    await store.write('A', new Map([['token', 't2']]));
    await store.write('A', new Map());
    expect(store.read('A')).toEqual(
      new Map([
        ['token', 't2'],
        ['other', 'o1'],
      ]),
    );
    expect(saved).toHaveLength(2);
    expect(saved[1]).toMatchObject({ mine: 1 });
  });

  it('a write fails when saving fails', async () => {
    const store = credentialStore({}, ['A'], () => Promise.reject(new Error('full')));
    await expect(store.write('A', values)).rejects.toThrow('full');
  });
});
