import * as E from 'fp-ts/Either';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { FatalError } from '../../../src/core/errors/errors';
import type { Fault } from '../../../src/core/errors/errors';
import type { Compiled, ContextName, Contexts, Place } from '../../../src/language/expressions/expression';
import { compileExpression, compileObject } from '../../../src/language/expressions/expression';
import { flatten, keysOf } from '../../../src/core/json/objects';
import { parseJson } from '../../../src/core/json/parse';
import type { Json, JsonObject } from '../../../src/core/model';

const placeWith = (contexts: readonly ContextName[], more: Partial<Place> = {}): Place => ({
  path: 'config.jobs[0].params',
  contexts,
  functions: BUILT_IN.function,
  ...more,
});
const ATTR = placeWith(['attr']);

const attr = (config: Json): Contexts => ({ attr: flatten(config) });

function compiled<T extends Json>(result: E.Either<readonly Fault[], Compiled<T>>): Compiled<T> {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
}

const faultsOf = (raw: Json, place = ATTR): readonly Fault[] => {
  const result = compileExpression(raw, place);
  return E.isLeft(result) ? result.left : [];
};

const valueOf = (raw: Json, contexts: Contexts = {}, place = ATTR): Json =>
  compiled(compileExpression(raw, place)).evaluate(contexts);

const objectValue = (raw: JsonObject, contexts: Contexts = {}, place = ATTR): JsonObject =>
  compiled(compileObject(raw, place)).evaluate(contexts);

function failureOf(evaluate: () => unknown): FatalError {
  try {
    evaluate();
  } catch (error) {
    if (error instanceof FatalError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

describe('compileExpression', () => {
  it.each<[Json]>([['text'], [12], [9007199254740993n], [true], [null], [1.5]])(
    'specification 2.4: the literal %p stands for itself',
    (literal) => {
      expect(valueOf(literal)).toBe(literal);
    },
  );

  it('specification 2.4: {attr} is the value of a user attribute, of its own type', () => {
    expect(valueOf({ attr: '#login' }, attr({ '#login': 'jane' }))).toBe('jane');
    expect(valueOf({ attr: 'server.ports.0' }, attr({ server: { ports: [80] } }))).toBe(80);
  });

  it('specification 2.4: {response} is a value of the login response', () => {
    const place = placeWith(['response', 'attr']);
    expect(valueOf({ response: 'token.0.secret' }, { response: flatten({ token: [{ secret: 's' }] }) }, place)).toBe(
      's',
    );
  });

  it('specification 2.4: functions take nested expressions and literals', () => {
    const basic = { function: 'base64_encode', args: [{ function: 'concat', args: [{ attr: 'u' }, ':', 'pw'] }] };
    expect(valueOf(basic, attr({ u: 'jane' }))).toBe('amFuZTpwdw==');
  });

  it('language 7.1: the values of an object of arguments work in their order, even if the keys look like numbers', () => {
    const raw = parseJson('{"function": "concat", "args": {"10": "a", "2": {"attr": "b"}}}');
    expect(valueOf(raw, attr({ b: 'B' }))).toBe('aB');
  });

  it('language 7.1: arguments that are absent or null are none', () => {
    expect(valueOf({ function: 'concat' })).toBe('');
    expect(valueOf({ function: 'concat', args: null })).toBe('');
  });

  it('language 7.1: a list is evaluated element by element', () => {
    const joined = { function: 'implode', args: ['|', [{ attr: 'a' }, 'x', { function: 'concat', args: [1, 2] }]] };
    expect(valueOf(joined, attr({ a: 'A' }))).toBe('A|x|12');
    expect(valueOf([{ attr: 'a' }, 1], attr({ a: 'A' }))).toEqual(['A', 1]);
  });

  it('language 7.1: an object of one key that is no context of the place is a plain object', () => {
    expect(valueOf({ attr: 'a' }, attr({ a: 1 }), placeWith(['placeholder']))).toEqual({ attr: 'a' });
    expect(valueOf({ constructor: 'a' })).toEqual({ constructor: 'a' });
  });

  it('language 7.1: an object of two keys is a plain object, whatever the keys', () => {
    expect(valueOf({ attr: 'a', other: { attr: 'a' } }, attr({ a: 1 }))).toEqual({ attr: 'a', other: 1 });
  });

  it('language 6.6: the context placeholder has one name, and urlencode may stand there', () => {
    const place = placeWith(['placeholder']);
    const contexts: Contexts = { placeholder: new Map([['value', 'a b']]) };
    expect(valueOf({ path: 'id', function: 'urlencode', args: [{ placeholder: 'value' }] }, contexts, place)).toBe(
      'a+b',
    );
  });

  it('language 7.2: one evaluation has one current time, which is taken when it begins', () => {
    jest.useFakeTimers({ now: 1_600_000_000_999 });
    try {
      const time = compiled(
        compileExpression([{ function: 'time' }, { function: 'strtotime', args: ['+1 sec'] }], ATTR),
      );
      expect(time.evaluate({})).toEqual([1600000000, 1600000001]);
      jest.setSystemTime(1_700_000_000_000);
      expect(time.evaluate({})).toEqual([1700000000, 1700000001]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('language 7.2: the current time can be given', () => {
    expect(compiled(compileExpression({ function: 'time' }, ATTR)).evaluate({}, 42)).toBe(42);
  });
});

describe('compileObject', () => {
  it('language 6.2: each value is evaluated, objects at any depth and the lists in them', () => {
    const raw = { a: { b: [{ attr: 'x' }, [{ attr: 'x' }]] }, c: { attr: 'x' }, d: 1 };
    expect(objectValue(raw, attr({ x: 'X' }))).toEqual({ a: { b: ['X', ['X']] }, c: 'X', d: 1 });
  });

  it('language 6.2: a value that is itself a list stays literal', () => {
    expect(objectValue({ a: [{ attr: 'x' }], b: [{ function: 'nonsense' }] })).toEqual({
      a: [{ attr: 'x' }],
      b: [{ function: 'nonsense' }],
    });
  });

  it('language 7.1: the object itself is no expression', () => {
    expect(objectValue({ attr: 'x' })).toEqual({ attr: 'x' });
    expect(objectValue({ function: 'time', args: [] })).toEqual({ function: 'time', args: [] });
  });

  it('language 7.1: a nested object with a single key named like a context is a reference, and fails', () => {
    const params = compiled(compileObject({ filter: { time: '10:00' } }, placeWith(['attr', 'time'])));
    const times = { time: new Map([['currentStart', 1]]) };
    expect(failureOf(() => params.evaluate(times)).message).toBe(
      "config.jobs[0].params.filter: User script error: Error evaluating user function - time '10:00' not found! " +
        "Known: 'currentStart'.",
    );
  });

  it('language 0.3: the order of the keys is kept', () => {
    const raw = parseJson('{"b": 1, "10": {"z": {"attr": "x"}, "2": 2}, "1": 3}') as JsonObject;
    const value = objectValue(raw, attr({ x: 'X' }));
    expect(keysOf(value)).toEqual(['b', '10', '1']);
    expect(keysOf(value['10'] as JsonObject)).toEqual(['z', '2']);
  });

  it('language 0.3: __proto__ is a key like any other', () => {
    const value = objectValue(parseJson('{"a": {"__proto__": {"attr": "x"}, "b": 1}}') as JsonObject, attr({ x: 'X' }));
    expect(Object.entries(value['a'] as JsonObject)).toEqual([
      ['__proto__', 'X'],
      ['b', 1],
    ]);
  });

  it('language 0.2: an empty list is the empty object, another list an object of its indexes', () => {
    expect(compiled(compileObject([], ATTR)).evaluate({})).toEqual({});
    expect(compiled(compileObject([{ attr: 'x' }, 'y'], ATTR)).evaluate(attr({ x: 'X' }))).toEqual({ 0: 'X', 1: 'y' });
  });

  it.each<[Json, string]>([
    ['text', `Expected 'object' type, given 'string' type, value '"***"'.`],
    [1, "Expected 'object' type, given 'number' type, value '1'."],
    [null, "Expected 'object' type, given 'null' type, value 'null'."],
  ])('language 7.3: %j is no object', (raw, message) => {
    expect(compileObject(raw, ATTR)).toEqual(
      E.left([{ path: 'config.jobs[0].params', message: `User script error: ${message}` }]),
    );
  });
});

describe('faults that are found before a run (language 7.3)', () => {
  const known = attr({ server: { host: 'h', port: 1 }, '#token': 't', nothing: null });
  const place = placeWith(['attr'], { known });

  it.each<[string, Json, string]>([
    ['a typing mistake', { function: 'mb5' }, "Illegal function 'mb5'! Did you mean 'md5'?"],
    ['another case', { function: 'STRTOTIME' }, "Illegal function 'STRTOTIME'! Did you mean 'strtotime'?"],
    ['a name that is no text', { function: { attr: 'a' } }, `Illegal function '{"attr":"***"}'!`],
    ['a name of an inherited property', { function: 'toString' }, "Illegal function 'toString'!"],
    [
      'too few arguments',
      { function: 'ifempty', args: ['a'] },
      "Bad argument count for function 'ifempty'! It takes 2, given are 1.",
    ],
    [
      'too many arguments',
      { function: 'date', args: [1, 2, 3] },
      "Bad argument count for function 'date'! It takes 1 to 2, given are 3.",
    ],
    [
      'no format',
      { function: 'sprintf' },
      "Bad argument count for function 'sprintf'! It takes 1 or more, given are 0.",
    ],
    [
      'a reference that is no text',
      { attr: { a: 1 } },
      `Error evaluating user function - attr '{"a":1}' is not a string!`,
    ],
    [
      'a near attribute',
      { attr: 'server.hots' },
      "Error evaluating user function - attr 'server.hots' not found! Did you mean 'server.host'?",
    ],
    [
      'a forgotten #',
      { attr: 'token' },
      "Error evaluating user function - attr 'token' not found! Did you mean '#token'?",
    ],
    [
      'an attribute that is null',
      { attr: 'nothing' },
      "Error evaluating user function - attr 'nothing' not found! Its value is null.",
    ],
    [
      'an attribute that is no leaf',
      { attr: 'server' },
      "Error evaluating user function - attr 'server' not found! It holds several values, name one of them: 'server.host', 'server.port'.",
    ],
  ])('%s', (_, raw, message) => {
    const [fault, ...others] = faultsOf(raw, place);
    expect(fault?.path).toBe('config.jobs[0].params');
    expect(fault?.message.startsWith(`User script error: ${message}`)).toBe(true);
    expect(others).toEqual([]);
  });

  it('the functions that there are, when none is near', () => {
    const names = [...BUILT_IN.function.keys()].map((name) => `'${name}'`);
    const known = `${names.slice(0, 15).join(', ')} and ${names.length - 15} more`;
    expect(faultsOf({ function: 'uppercase' })[0]?.message).toBe(
      `User script error: Illegal function 'uppercase'! Known: ${known}.`,
    );
  });

  it('the first names of a long list, and no names at all', () => {
    const many = attr(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`some attribute ${at}`, at])));
    expect(faultsOf({ attr: 'x' }, placeWith(['attr'], { known: many }))[0]?.message).toMatch(/14' and 5 more\.$/);
    expect(faultsOf({ attr: 'x' }, placeWith(['attr'], { known: attr({}) }))[0]?.message).toMatch(/There are none\.$/);
  });

  it.each<[Json, string]>([
    ['text', 'string'],
    [1, 'number'],
    [false, 'boolean'],
  ])('arguments that are %j', (args, type) => {
    expect(faultsOf({ function: 'concat', args })).toEqual([
      {
        path: 'config.jobs[0].params.args',
        message: `User script error: 'args' must be an array of arguments, given '${type}'!`,
      },
    ]);
  });

  it('all of them, in reading order, each with its path', () => {
    const raw = {
      a: { function: 'nope', args: [{ attr: 'servr.host' }, { function: 'md5' }] },
      b: { c: [0, { attr: 5 }] },
      d: { function: 'concat', args: { x: { attr: 'gone' } } },
    };
    const result = compileObject(raw, place);
    expect(E.isLeft(result) && result.left.map(({ path }) => path)).toEqual([
      'config.jobs[0].params.a',
      'config.jobs[0].params.a.args[0]',
      'config.jobs[0].params.a.args[1]',
      'config.jobs[0].params.b.c[1]',
      'config.jobs[0].params.d.args.x',
    ]);
  });

  it('a reference to a context that is not known yet is no fault', () => {
    expect(faultsOf({ response: 'a' }, placeWith(['response', 'attr'], { known }))).toEqual([]);
    expect(faultsOf({ attr: 'later' })).toEqual([]);
  });

  it('a reference that is known is no fault, even if its value is blank', () => {
    expect(faultsOf({ attr: 'columns' }, placeWith(['attr'], { known: attr({ columns: '' }) }))).toEqual([]);
  });
});

describe('errors of an evaluation (language 7.3)', () => {
  it('a reference that finds nothing: code, path and nearest name', () => {
    const expression = compiled(compileExpression({ a: { response: 'tokn' } }, placeWith(['response'])));
    const error = failureOf(() => expression.evaluate({ response: flatten({ token: 't' }) }));
    expect(error.code).toBe('EXPRESSION_FAILED');
    expect(error.recovery).toBe('fatal');
    expect(error.message).toBe(
      "config.jobs[0].params.a: User script error: Error evaluating user function - response 'tokn' not found! " +
        "Did you mean 'token'?",
    );
  });

  it('a reference to null, and to a context that is not there', () => {
    const expression = compiled(compileExpression({ response: 'token' }, placeWith(['response'])));
    expect(failureOf(() => expression.evaluate({ response: flatten({ token: null }) })).message).toMatch(/is null\.$/);
    expect(failureOf(() => expression.evaluate({})).message).toMatch(/'token' not found! There are none\.$/);
  });

  it("a function's own complaint, with the place of the call", () => {
    const raw = { since: { function: 'md5', args: [{ function: 'implode', args: [',', 'text'] }] } };
    const error = failureOf(() => objectValue(raw));
    expect(error.message).toBe(
      "config.jobs[0].params.since.args[0]: User script error: Function 'implode': argument 2 must be an array, " +
        "given 'string'.",
    );
    expect(error.cause).toBeInstanceOf(Error);
  });
});

describe('what an expression refers to', () => {
  const secret = (raw: Json): boolean => compiled(compileExpression(raw, placeWith(['attr', 'user']))).usesSecrets;

  it.each<[Json, boolean]>([
    [{ attr: '#password' }, true],
    [{ attr: 'server.#key.0' }, true],
    [{ function: 'md5', args: [{ function: 'concat', args: ['a', { attr: '#p' }] }] }, true],
    [{ a: { b: [{ user: '#p' }] } }, true],
    [{ attr: 'not#secret' }, false],
    ['#literal', false],
    [{ function: 'concat', args: ['#p', { attr: 'p' }] }, false],
  ])('language 1.4: %j uses secrets: %p', (raw, expected) => {
    expect(secret(raw)).toBe(expected);
  });

  it('language 1.4: a literal list does not refer to anything', () => {
    expect(compiled(compileObject({ a: [{ attr: '#p' }] }, ATTR)).usesSecrets).toBe(false);
    expect(compiled(compileObject({ a: { b: [{ attr: '#p' }] } }, ATTR)).usesSecrets).toBe(true);
  });

  it('specification 2.4: each path of the response once, in reading order', () => {
    const raw = { a: { response: 'b.c' }, d: { function: 'sha1', args: [{ response: 'a' }] }, e: { response: 'b.c' } };
    const place = placeWith(['response', 'attr']);
    expect(compiled(compileObject({ ...raw, f: { attr: 'x' } }, place)).responsePaths).toEqual(['b.c', 'a']);
  });
});

describe('templates of Jinja', () => {
  it('have the values of their names, which are expressions', () => {
    const raw = { jinja: '{{ river | lower }}-{{ count + 1 }}', with: { river: { attr: 'river' }, count: 4 } };
    expect(valueOf(raw, attr({ river: 'ALD' }))).toBe('ald-5');
  });

  it.each<[Json, Json]>([
    [{ jinja: "{{ '7' }}" }, 7],
    [{ jinja: "{{ '7' }}", as: 'text' }, '7'],
    [{ jinja: "{{ '' }}" }, ''],
    [{ jinja: "{{ '' }}", as: 'text' }, null],
    [{ jinja: '{{ a.b.c }}', with: { a: {} } }, null],
    [{ jinja: '{{ a.b }}', with: { a: { b: [1, 'x'] } } }, [1, 'x']],
    [{ function: 'concat', args: ['a', { jinja: '{{ 1 }}' }] }, 'a1'],
  ])('%j is %j', (raw, value) => {
    expect(valueOf(raw)).toEqual(value);
  });

  it.each<[Json, string, string]>([
    [{ jinja: '{{ a }}' }, '.jinja', "the name 'a' has no value"],
    [{ jinja: '{{ 1 +' }, '.jinja', 'is no template of Jinja'],
    [{ jinja: 'a', as: 'number' }, '.as', 'expected "value" or "text"'],
    [{ jinja: 'a', with: [] }, '.with', 'expected an object'],
    [{ jinja: '{{ a }}', with: { a: { attr: 'b' } } }, '.with.a', 'not found'],
  ])('%j is refused', (raw, at, complaint) => {
    const [fault] = faultsOf(raw, placeWith(['attr'], { known: attr({}) }));
    expect(fault?.path).toBe(`config.jobs[0].params${at}`);
    expect(fault?.message).toContain(complaint);
  });

  it('fail where the operation is not possible', () => {
    const error = failureOf(() => valueOf({ jinja: '{{ 1 / a }}', with: { a: 0 } }));
    expect(error).toMatchObject({ code: 'EXPRESSION_FAILED' });
    expect(error.message).toContain('division');
  });

  it('use secrets where a value of theirs is one', () => {
    const raw = { jinja: '{{ key }}', with: { key: { attr: '#key' } } };
    expect(compiled(compileExpression(raw, placeWith(['attr']))).usesSecrets).toBe(true);
  });
});
