/** Configurations for specs of the whole engine. */

/** Jobs at these endpoints, below a base URL. */
export const jobsAt = (
  baseUrl: string,
  endpoints: readonly string[],
  api: object = {},
  config: object = {},
): object => ({
  api: { baseUrl, ...api },
  config: { ...config, jobs: endpoints.map((endpoint) => ({ endpoint })) },
});

/** A login at `login` whose `token` becomes the header `x-token`. */
export const tokenLogin = (expires?: unknown): { readonly authentication: object } => ({
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login' },
    apiRequest: { headers: { 'x-token': 'token' } },
    ...(expires === undefined ? {} : { expires }),
  },
});
