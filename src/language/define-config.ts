import type { Configuration } from '#written';

/**
 * The type of a value, with a complaint that shows its name in the place of each key that its model does not have. Of a
 * union those members count that the value fits.
 */
export type KnownKeys<C, Model> = unknown extends Model
  ? C
  : [Model] extends [C]
    ? C
    : C extends readonly unknown[]
      ? { readonly [K in keyof C]: KnownKeys<C[K], Model extends readonly (infer Element)[] ? Element : never> }
      : C extends object
        ? {
            readonly [K in keyof C]: K extends (Model extends unknown ? (C extends Model ? keyof Model : never) : never)
              ? KnownKeys<
                  C[K],
                  Model extends unknown ? (C extends Model ? (K extends keyof Model ? Model[K] : never) : never) : never
                >
              : { readonly 'no such key': K };
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
export const defineConfig = <const C extends Configuration>(config: C & KnownKeys<C, Configuration>): C => config;
