import type { Configuration } from '#written';

/** The members of a union that a value fits. */
type Fitting<T, C> = T extends unknown ? (C extends T ? T : never) : never;
type KeysOf<T> = T extends unknown ? keyof T : never;
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** The complaint about a key: no value is one, and compilers show its name. */
interface NoSuchKey<K> {
  readonly 'no such key': K;
}

/** The type of a value, with a complaint in the place of each key that its model does not have. */
type Known<C, T> = unknown extends T
  ? C
  : [T] extends [C]
    ? C
    : C extends readonly unknown[]
      ? { readonly [K in keyof C]: Known<C[K], At<Fitting<T, C>, number>> }
      : C extends object
        ? {
            readonly [K in keyof C]: K extends KeysOf<Fitting<T, C>> ? Known<C[K], At<Fitting<T, C>, K>> : NoSuchKey<K>;
          }
        : C;

/**
 * Returns the configuration as it is, checked by the compiler: a misspelled key, or a value of another type, does not
 * compile. Its type is that of the argument, with its literals: `config.config.jobs[0].endpoint` is `'ships'`.
 *
 * @param config a configuration, usually written as a literal
 *
 * @example
 * const config = defineConfig({
 *   api: { baseUrl: 'https://api.example.com', pagination: { method: 'offset', limit: 100 } },
 *   config: { jobs: [{ endpoint: 'ships' }] },
 * });
 */
export const defineConfig = <const C extends Configuration>(config: C & Known<C, Configuration>): C => config;
