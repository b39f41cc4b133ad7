import { didYouMean, likelyMeant } from '../../../src/language/codec/suggest';

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
