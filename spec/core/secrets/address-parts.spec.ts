import { addressParts } from '../../../src/core/secrets/address-parts';

describe('the parts of a secret address', () => {
  it.each([
    [
      'http://127.0.0.1:80/bot123456:AAETOKENTOKEN/',
      ['/bot123456:AAETOKENTOKEN', 'bot123456:AAETOKENTOKEN', 'bot123456', 'AAETOKENTOKEN'],
    ],
    ['https://h.example/api/v2/', []],
    ['https://h.example/services/getThings', []],
    ['https://h.example/api/s3cr3t/', ['/api/s3cr3t']],
    ['https://alder:trout-pond@h.example/api', ['alder', 'trout-pond']],
    ['https://h.example/api?v=2&format=json&token=abcdef&x=k7Qd9xZvR2', ['abcdef', 'k7Qd9xZvR2']],
    ['https://h.example/k%207Qd9xZv', ['/k%207Qd9xZv', '/k 7Qd9xZv', 'k%207Qd9xZv', 'k 7Qd9xZv']],
    ['postgres://alder:trout-pond@db.example/warehouse2026', ['alder', 'trout-pond']],
    ['k7Qd9xZvR2', []],
    ['http://', []],
  ])('%s', (address, parts) => {
    expect(addressParts(address)).toEqual(parts);
  });
});
