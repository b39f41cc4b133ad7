import { totalPlaceText, totalValue } from '../../src/sources/total-value';
import { aResponse } from '../support/requests';

const reply = {
  response: aResponse({
    headers: { 'content-range': 'items 0-24/66', 'x-total': ['7', '8'], 'x-unknown': 'items */*' },
  }),
  data: { pages: [{ total: 1 }, { total: 5 }] },
};

describe('where a response says how many items there are', () => {
  it.each([
    [{ path: 'pages.-1.total' }, 5, '"pages.-1.total"'],
    [{ path: 'total' }, undefined, '"total"'],
    [{ header: 'content-range' }, '66', 'the header content-range'],
    [{ header: 'x-total' }, '7', 'the header x-total'],
    [{ header: 'x-unknown' }, undefined, 'the header x-unknown'],
    [{ header: 'x-none' }, undefined, 'the header x-none'],
  ])('%j', (place, value, text) => {
    expect(totalValue(reply, place)).toBe(value);
    expect(totalPlaceText(place)).toBe(text);
  });
});
