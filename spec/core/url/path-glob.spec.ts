import { pathGlob } from '../../../src/core/url/path-glob';

describe('pathGlob', () => {
  it.each([
    ['/a', '/a', true],
    ['/a', '/a/', false],
    ['/a', '/b/a', false],
    ['/a/*', '/a/b', true],
    ['/a/*', '/a/', true],
    ['/a/*', '/a', false],
    ['/a/*', '/a/b/c', false],
    ['/*/a', '/v1/a', true],
    ['/v*/a', '/v12/a', true],
    ['/a/**', '/a', true],
    ['/a/**', '/a/b/c', true],
    ['/a/**', '/ab', false],
    ['/a/**/z', '/a/z', true],
    ['/a/**/z', '/a/b/c/z', true],
    ['/a/**/z', '/az', false],
    ['**/z', '/z', true],
    ['**/z', '/a/b/z', true],
    ['**', '/anything/at.all', true],
    ['/**', '/', true],
    ['/a**z', '/a/b/z', true],
    ['/a.b+(c)', '/a.b+(c)', true],
    ['/a.b', '/aXb', false],
    ['/a b/ü', '/a%20b/%C3%BC', true],
    ['/a%20b', '/a%20b', true],
    ['/a/*', '/a/b%2Fc', true],
    ['/100%', '/100%', true],
    ['/*', '/%zz', true],
  ])('%s, %s: %s', (glob, path, matches) => {
    expect(pathGlob(glob)(path)).toBe(matches);
  });
});
