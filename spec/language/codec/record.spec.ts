import { isLeft, right } from 'fp-ts/lib/Either';
import { contextAt, findingsOf } from '../../../src/language/codec/codec';
import { flag, numeric, text } from '../../../src/language/codec/primitives';
import { always, optional, record, required, withDefault } from '../../../src/language/codec/record';
import { anyKey } from '../../../src/language/codec/unknown-key';

const doc = { about: 'A part of a point.', example: 1 };
const point = record('Point', {
  x: required(numeric, 'the x', doc),
  label: optional(text, doc),
  unit: withDefault(text, 'mm', doc),
  shown: always(flag(true), doc),
});

describe('record', () => {
  it('language 0.2: blank fields are missing, defaulted or left to their codec', () => {
    expect(point.decode({ x: '1', label: '', unit: [], shown: 0 })).toEqual(right({ x: 1, unit: 'mm', shown: false }));
    expect(point.decode({ x: 1, label: 'a' })).toEqual(right({ x: 1, label: 'a', unit: 'mm', shown: true }));
  });

  it('language 9: reports the faults of all fields', () => {
    const result = point.validate({ X: 1, label: true, unit: {} }, contextAt(['p']));
    expect(isLeft(result) && findingsOf(result.left)).toEqual([
      { path: ['p', 'x'], message: 'required: the x; is "X" a misspelling of it?' },
      { path: ['p', 'label'], message: 'expected a string, found true' },
    ]);
  });

  it('language 1.2: notes unknown keys, unless any key may stand there', () => {
    const input = { x: 1, lable: 'a', other: 1 };
    expect(point.notes(input, ['p'])).toEqual([
      {
        path: ['p', 'lable'],
        message: 'has no effect: unknown key; did you mean "label"?',
        code: 'MISTAKEN_KEY',
        meant: 'label',
      },
      { path: ['p', 'other'], message: 'has no effect: unknown key', isUnknown: true },
    ]);
    expect(record('Open', {}, anyKey).notes(input, ['p'])).toEqual([]);
    expect(point.notes('text', ['p'])).toEqual([]);
  });

  it('language 0.3: fields are own keys only', () => {
    const inherits = record('Inherits', { constructor: optional(text, doc), toString: withDefault(text, 'none', doc) });
    expect(inherits.decode({})).toEqual(right({ toString: 'none' }));
  });
});
