import type { Configuration } from '#written';

/**
 * Returns the configuration as it is, checked by the compiler: a misspelled key, or a value of another type, does not
 * compile.
 *
 * @example
 * const config = defineConfig({
 *   api: { baseUrl: 'https://api.example.com', pagination: { method: 'offset', limit: 100 } },
 *   config: { jobs: [{ endpoint: 'ships' }] },
 * });
 */
export const defineConfig = (config: Configuration): Configuration => config;
