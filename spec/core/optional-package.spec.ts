import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as packages from '../../src/core/optional-package';

const { requirePackage } = packages;
/** Of any package: those of its own list are all installed here. */
const optionalPackage = packages.optionalPackage as (user: string, name: string) => unknown;

const missing = {
  code: 'PACKAGE_MISSING',
  message: 'mine: needs the package no-such-package, which is not installed. Install it: npm install no-such-package',
};

describe('optionalPackage', () => {
  it('gives what it loads', () => {
    expect(optionalPackage('mine:', 'rxjs')).toHaveProperty('of');
  });

  it('says what to install', () => {
    expect(() => optionalPackage('mine:', 'no-such-package')).toThrow(expect.objectContaining(missing) as Error);
  });

  describe('of a package that is there', () => {
    let folder = '';
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'headwater-package-'));
      mkdirSync(join(folder, 'broken'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it.each([
      ['lacks a part', "require('what-it-needs')", "Cannot find module 'what-it-needs'"],
      ['cannot be loaded', "throw new Error('no binary')", 'no binary'],
    ])('passes on that it %s', (_, text, message) => {
      const file = join(folder, 'broken', 'index.js');
      writeFileSync(file, text);
      expect(() => optionalPackage('mine:', file)).toThrow(message);
    });
  });
});

describe('requirePackage', () => {
  it('is content with a package that is there', () => {
    expect(() => requirePackage('mine:', 'rxjs')).not.toThrow();
  });

  it('says what to install', () => {
    expect(() => requirePackage('mine:', 'no-such-package')).toThrow(expect.objectContaining(missing) as Error);
  });
});
