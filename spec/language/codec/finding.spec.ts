import { parseJson } from '../../../src/core/json/parse';
import { didYouMean, isSecretPlace, likelyMeant, pathText, shown, toFaults } from '../../../src/language/codec/finding';

describe('pathText', () => {
  it.each([
    [[], ''],
    [['config', 'jobs', '0', 'children', '1', 'endpoint'], 'config.jobs[0].children[1].endpoint'],
    [['config', 'jobs', '0', 'params', 'page[size]'], 'config.jobs[0].params["page[size]"]'],
    [['api', 'pagination.method'], 'api["pagination.method"]'],
    [['config', '#token'], 'config.#token'],
    [['config', ''], 'config[""]'],
    [['config', 'nowhere', '0'], 'config.nowhere.0'],
  ])('language 9: %j is %s', (path, text) => {
    expect(pathText(path, { config: { jobs: [{ children: [{}, {}] }] } })).toBe(text);
  });
});

describe('toFaults', () => {
  it('language 9: reading order, absent keys last, outer places first, no repetition', () => {
    const document = parseJson('{"b": [1, {"x": 1}], "10": 0, "2": 0}');
    const at = (...path: string[]) => ({ path, message: 'm' });
    const findings = [at('2'), at('10'), at('a'), at('b', '1', 'x'), at('b', '0'), at('b', '1'), at('b', '0'), at('b')];
    expect(toFaults(findings, document).map(({ path }) => path)).toEqual([
      'b',
      'b[0]',
      'b[1]',
      'b[1].x',
      '10',
      '2',
      'a',
    ]);
  });
});

describe('shown', () => {
  it.each([
    ['text', 'a string of 4 characters'],
    ['x', 'a string of 1 character'],
    ['', 'an empty string'],
    [5, '5'],
    [-0.5, '-0.5'],
    [9007199254740993n, 'a number of 16 characters'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'nothing'],
    [[1], 'an array'],
    [{ a: 1 }, 'an object'],
  ])('language 9: %p as %s', (value, text) => {
    expect(shown(value, ['api'])).toBe(text);
  });

  it('language 1.4: names secrets by type', () => {
    expect(shown('text', ['config', '#a', 'b'])).toBe('a string (secret, not shown)');
    expect(shown(7, ['#a'])).toBe('a number (secret, not shown)');
    expect(shown([1], ['#a'])).toBe('an array');
    expect(isSecretPlace(['config', 'a#b'])).toBe(false);
  });
});

describe('likelyMeant', () => {
  it.each([
    ['limt', ['limit', 'method'], 'limit'],
    ['ofset', ['offset'], 'offset'],
    ['Headers', ['headers'], 'headers'],
    ['output_bucket', ['outputBucket'], 'outputBucket'],
    ['scrolers', ['scroller', 'scrollers'], 'scrollers'],
    ['plian', ['plain'], 'plain'],
    ['b', ['a', 'c'], undefined],
    ['limit', ['limit'], undefined],
    ['nothing', ['limit'], undefined],
    ['x', [], undefined],
    ['id', ['port'], undefined],
  ])('language 9: %s among %j is %s', (written, candidates, meant) => {
    expect(likelyMeant(written, candidates)).toBe(meant);
  });

  it('language 9: is worded as a question, or left out', () => {
    expect(didYouMean('limt', ['limit'])).toBe('; did you mean "limit"?');
    expect(didYouMean('other', ['limit'])).toBe('');
  });
});
