import { optionalPackage, requirePackage } from '../../src/sinks/optional-package';

const missing = {
  code: 'PACKAGE_MISSING',
  message: 'mine: needs the package no-such-package, which is not installed. Install it: npm install no-such-package',
};
const failing = (code: string) => (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code }));

describe('optionalPackage', () => {
  it('gives what it loads', async () => {
    await expect(optionalPackage('mine:', 'rxjs', () => import('rxjs'))).resolves.toHaveProperty('of');
  });

  it.each(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'])(
    'says what to install when the load ends with %s',
    async (code) => {
      await expect(optionalPackage('mine:', 'no-such-package', failing(code))).rejects.toMatchObject(missing);
    },
  );

  it('passes on whatever else went wrong', async () => {
    await expect(optionalPackage('mine:', 'pg', failing('ERR_DLOPEN_FAILED'))).rejects.toThrow('no');
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
