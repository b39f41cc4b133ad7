import type { Configuration } from '#written';

/**
 * A configuration, checked by the compiler: a key that is misspelled, or a value of another type, does not compile. It is
 * given back as it is.
 *
 * @example
 * const config = defineConfig({
 *   api: { baseUrl: 'https://api.example.com', pagination: { method: 'offset', limit: 100 } },
 *   config: { jobs: [{ endpoint: 'ships' }] },
 * });
 */
export const defineConfig = (config: Configuration): Configuration => config;
