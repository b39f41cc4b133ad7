import fc from 'fast-check';
import { createSeal, isSealed } from '../../src/core/sealed';
import { runsOf } from '../support/cases';

const KEY = 'a key of more than 16 characters';
const seal = createSeal(KEY);

describe('a seal', () => {
  it('gives back what it closed, to the same key and use only', () => {
    const sealed = seal.close(Buffer.from('a token'), 'state');
    expect(sealed.toString('latin1')).not.toContain('token');
    expect(isSealed(sealed)).toBe(true);
    expect(createSeal(KEY).open(sealed, 'state')?.toString()).toBe('a token');
    expect(seal.open(sealed, 'cache')).toBeUndefined();
    expect(createSeal(`${KEY}!`).open(sealed, 'state')).toBeUndefined();
  });

  it('never closes the same bytes alike, and takes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const [one, other] = [seal.close(bytes, 'x'), seal.close(bytes, 'x')];
        expect(one.equals(other)).toBe(false);
        expect(seal.open(one, 'x')?.equals(bytes)).toBe(true);
      }),
      { numRuns: runsOf(30) },
    );
  });

  it('opens nothing of which a byte was changed, added or cut', () => {
    const sealed = seal.close(Buffer.from('a token'), 'x');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(seal.open(changed, 'x')).toBeUndefined();
      expect(seal.open(sealed.subarray(0, at), 'x')).toBeUndefined();
    }
    expect(seal.open(Buffer.concat([sealed, Buffer.from([0])]), 'x')).toBeUndefined();
  });

  it.each(['', 'too short'])('refuses the key %j', (key) => {
    expect(() => createSeal(key)).toThrow(/at least 16 characters.*openssl rand/);
  });
});
