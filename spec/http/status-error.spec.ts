import { unusableStatus } from '../../src/http/status-error';

describe('unusableStatus: what is below 400 and holds no data', () => {
  it.each([205, 206, 300, 301, 302, 303, 304, 305, 306, 307, 308, 399])('%i', (status) => {
    expect(unusableStatus({ status, headers: {} })).toBeDefined();
  });

  it.each([200, 201, 202, 203, 204, 207, 208, 226, 400, 404, 500])('not %i', (status) => {
    expect(unusableStatus({ status, headers: {} })).toBeUndefined();
  });

  it.each([
    ['0-24/3573', undefined],
    ['0-24/*', undefined],
    ['items 0-24/3573', undefined],
    ['id ]abc..def]; max=100', undefined],
    ['bytes 0-99/1000', expect.stringContaining('part of the answer')],
    ['Bytes 0-99/1000', expect.stringContaining('part of the answer')],
    ['bytes=0-99', expect.stringContaining('part of the answer')],
    ['', expect.stringContaining('part of the answer')],
  ])('206 with the Content-Range %j: %p', (range, verdict) => {
    expect(unusableStatus({ status: 206, headers: { 'content-range': range } })).toEqual(verdict);
  });
});
