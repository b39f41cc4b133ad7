import { placeText, scalarIn, valueIn, valuesOf } from '../../../src/auth/login/place';

const GIVEN = { content: { a: { token: 'T' }, none: null }, headers: { 'x-token': 'H', 'x-many': ['1', '2'] } };

describe('places in what a login answered', () => {
  it('are paths and headers, whose names have no case', () => {
    expect(valueIn(GIVEN, 'a')).toEqual({ token: 'T' });
    expect(valueIn(GIVEN, 'a.token')).toBe('T');
    expect(valueIn(GIVEN, { responseHeader: 'X-Token' })).toBe('H');
    expect(valueIn(GIVEN, { responseHeader: 'x-many' })).toBe('1, 2');
    expect(valueIn(GIVEN, { responseHeader: 'X-Other' })).toBeUndefined();
  });

  it('are scalars by their flattened names', () => {
    const values = valuesOf(GIVEN);
    expect(scalarIn(values, 'a.token')).toBe('T');
    expect(scalarIn(values, 'a')).toBeUndefined();
    expect(scalarIn(values, { responseHeader: 'X-MANY' })).toBe('1, 2');
  });

  it('have a name for messages', () => {
    expect(placeText('a.token')).toBe('"a.token" of the login response');
    expect(placeText({ responseHeader: 'X-Token' })).toBe('the header "X-Token" of the login response');
  });
});
