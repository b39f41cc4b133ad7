import type * as Undici from 'undici';

let loaded: typeof Undici | undefined;

/**
 * What is made of undici, which the first request loads: that takes as long as to load all of the library. At once, where it is
 * loaded already.
 *
 * @example const dispatcher = await byUndici(({ getGlobalDispatcher }) => getGlobalDispatcher())
 */
export const byUndici = <T>(make: (undici: typeof Undici) => T): T | Promise<T> =>
  loaded === undefined ? load().then(make) : make(loaded);

async function load(): Promise<typeof Undici> {
  loaded ??= await import('undici');
  return loaded;
}
