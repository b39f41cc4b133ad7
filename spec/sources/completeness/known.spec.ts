import { knownFrom } from '../../../src/sources/completeness/known';

describe('a call that goes on', () => {
  it('knows the columns of the rows before', () => {
    const checkpoint = { call: [0, 0], job: 'a', pages: 1, items: 2, volume: 0 };
    expect(knownFrom({ ...checkpoint, evidence: { columns: ['id', 'n'] } }).columns).toEqual(['id', 'n']);
    expect(knownFrom(checkpoint).columns).toBeUndefined();
  });
});
