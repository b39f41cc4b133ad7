import * as E from 'fp-ts/Either';
import { BUILT_IN } from '../../../../src/run/built-in-parts';
import { compileExpression } from '../../../../src/language/expressions/expression';
import { argumentCounts, EXAMPLE_NOW } from '../../../../src/language/expressions/functions/define';
import type { Json } from '../../../../src/core/model';

const calls = Array.from(BUILT_IN.function.values(), ({ name, examples }) =>
  examples.map(({ args, result }) => ({ name, args, result })),
).flat();

const evaluated = (name: string, args: readonly Json[]): Json => {
  const place = { path: 'here', contexts: [], functions: BUILT_IN.function };
  const compiled = compileExpression({ function: name, args }, place);
  if (E.isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  return compiled.right.evaluate({}, EXAMPLE_NOW);
};

describe('the examples of functions', () => {
  it('are called at a moment with a name', () => {
    expect(new Date(EXAMPLE_NOW * 1000).toISOString()).toBe('2021-06-16T09:30:15.000Z');
  });

  it.each(calls)('$name $args', ({ name, args, result }) => {
    expect(evaluated(name, args)).toEqual(result);
  });
});

describe('the arguments of functions', () => {
  it('are as many as the language says', () => {
    expect(
      Object.fromEntries(Array.from(BUILT_IN.function, ([name, definition]) => [name, argumentCounts(definition)])),
    ).toMatchObject({
      base64_decode: [1, 1],
      base64_encode: [1, 1],
      coalesce: [1, Infinity],
      concat: [0, Infinity],
      date: [1, 2],
      hash: [2, 2],
      hash_hmac: [3, 3],
      ifempty: [2, 2],
      implode: [2, 2],
      jwt: [2, 4],
      md5: [1, 1],
      now: [0, 2],
      rawurlencode: [1, 1],
      regex: [2, 3],
      replace: [3, 3],
      sha1: [1, 1],
      split: [2, 2],
      sprintf: [1, Infinity],
      strtotime: [1, 2],
      time: [0, 0],
      urlencode: [1, 1],
      uuid: [0, 1],
    });
  });
});
