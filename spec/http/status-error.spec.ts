import { statusError, unusableStatus } from '../../src/http/status-error';
import { aRequest, secretsOf } from '../support/requests';

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

describe('statusError: plain HTTP where the server uses TLS', () => {
  const messageFor = (url: string, body: string): string =>
    statusError({ request: aRequest({ url }), status: 400, headers: {}, body: Buffer.from(body) }, secretsOf()).message;

  it.each([
    '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>',
    'Client sent an HTTP request to an HTTPS server.',
    "You're speaking plain HTTP to an SSL-enabled server port.",
    'Bad Request\nThis combination of host and port requires TLS.',
  ])('%s', (body) => {
    expect(messageFor('http://api.example:443/', body)).toContain('Write "https://" in place of "http://"');
    expect(messageFor('https://api.example/', body)).not.toContain('in place of');
  });

  it('another 400 has no such hint', () => {
    expect(messageFor('http://api.example/', '{"error":"The callback has to be an HTTPS address."}')).not.toContain(
      'in place of',
    );
  });
});
