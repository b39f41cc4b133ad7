/** What is told of a configuration whose variables are not set, where nothing is sent. */
import { explainConfiguration, requestsOf, validate } from '../../../src';
import type { ConfigurationError } from '../../../src';

const env = { SESAME: 'sesame-71' };
const unset = { env, unset: 'stand in' } as const;
const config = {
  api: {
    baseUrl: { env: 'HW_BASE', secret: false },
    authentication: { type: 'bearer', token: { env: 'HW_TOKEN' } },
    http: { requestTimeout: { env: 'HW_TIMEOUT' }, headers: { 'X-Account': { env: 'HW_ACCOUNT', secret: false } } },
  },
  config: {
    sinks: [{ env: 'HW_DATABASE' }],
    jobs: [
      {
        endpoint: 'stations',
        params: {
          key: { function: 'concat', args: ['a-', { env: 'HW_KEY' }] },
          sum: { function: 'md5', args: [{ env: 'HW_KEY' }] },
          known: { env: 'SESAME' },
        },
      },
    ],
  },
};
const faultsOf = (value: unknown, options: object): readonly string[] => {
  try {
    validate(value, options);
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults.map(({ path, message }) => `${path}: ${message}`);
  }
};

describe('variables that are not set', () => {
  it('are faults with their paths', () => {
    expect(faultsOf(config, { env })).toEqual([
      'api.baseUrl: the environment variable HW_BASE is not set',
      'api.authentication.token: the environment variable HW_TOKEN is not set',
      'api.http.requestTimeout: the environment variable HW_TIMEOUT is not set',
      'api.http.headers.X-Account: the environment variable HW_ACCOUNT is not set',
      'config.sinks[0]: the environment variable HW_DATABASE is not set',
      'config.jobs[0].params.key.args[1]: the environment variable HW_KEY is not set',
      'config.jobs[0].params.sum.args[0]: the environment variable HW_KEY is not set',
    ]);
  });

  it('stand in for their values, where that is asked for, and are told', () => {
    const { jobs, warnings, unset: reported } = validate(config, unset);
    expect([jobs, warnings]).toEqual([1, []]);
    expect(reported.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'api.baseUrl: the environment variable HW_BASE is not set; $HW_BASE stands for it',
      'api.authentication.token: the environment variable HW_TOKEN is not set; $HW_TOKEN stands for it',
      'api.http.requestTimeout: the environment variable HW_TIMEOUT is not set; $HW_TIMEOUT stands for it',
      'api.http.headers.X-Account: the environment variable HW_ACCOUNT is not set; $HW_ACCOUNT stands for it',
      'config.sinks[0]: the environment variable HW_DATABASE is not set; it is left out here',
      'config.jobs[0].params.key.args[1]: the environment variable HW_KEY is not set; $HW_KEY stands for it',
      'config.jobs[0].params.sum.args[0]: the environment variable HW_KEY is not set; $HW_KEY stands for it',
    ]);
  });

  it('have their names in requests, and in curl commands', () => {
    const { jobs, variables } = requestsOf(config, unset);
    const [request] = jobs[0]?.requests ?? [];
    expect(request).toMatchObject({
      url: '$HW_BASE/stations?key=a-$HW_KEY&sum=***&known=***',
      headers: { authorization: '***', 'x-account': '$HW_ACCOUNT' },
    });
    expect(request?.curl).toBe(
      `curl -gsS "$HW_BASE"'/stations?key=a-'"$HW_KEY"'&sum='"$SECRET"'&known='"$SESAME" \\\n` +
        `  -H 'x-account: '"$HW_ACCOUNT" \\\n  -H 'authorization: ''Bearer '"$HW_TOKEN"`,
    );
    expect(variables.map(({ name }) => name)).toEqual([
      'HW_BASE',
      'HW_KEY',
      'SECRET',
      'SESAME',
      'HW_ACCOUNT',
      'HW_TOKEN',
    ]);
  });

  it('have their names in sentences', () => {
    const reported = explainConfiguration(config, unset).flatMap(({ sentences }) => sentences);
    expect(reported).toContain('It asks $HW_BASE.');
    expect(reported).toContain('Its first request is GET $HW_BASE/stations?key=a-$HW_KEY&sum=***&known=***.');
    expect(reported.join()).not.toMatch(/invalid|unset-|sesame/);
  });

  it('are one variable, wherever they stand', () => {
    const twice = { ...config, config: { jobs: [{ endpoint: 'a', params: { at: { env: 'HW_BASE' } } }] } };
    expect(requestsOf(twice, unset).jobs[0]?.requests[0]?.curl).toContain(`"$HW_BASE"'/a?at='"$HW_BASE"`);
  });

  it('are faults where nothing can stand for them, and where a name may be the secret itself', () => {
    const job = { endpoint: 'a' };
    const needed = {
      api: { baseUrl: 'https://a.example', pagination: { method: 'offset', limit: { env: 'HW_LIMIT' } } },
    };
    expect(faultsOf({ ...needed, config: { jobs: [job] } }, unset)).toEqual([
      'api.pagination.limit: the environment variable HW_LIMIT is not set',
    ]);
    const misplaced = {
      api: { baseUrl: 'https://a.example' },
      config: { '#key': { env: 'sk-live-9a8b7c' }, jobs: [job] },
    };
    expect(faultsOf(misplaced, unset)).toEqual(['config.#key: the environment variable that it names is not set']);
  });

  it('are files as well', () => {
    const file = { ...config, config: { jobs: [{ endpoint: 'a', params: { key: { file: '/gone/key' } } }] } };
    const { jobs } = requestsOf(file, { ...unset, secretFiles: true });
    expect(jobs[0]?.requests[0]).toMatchObject({
      url: '$HW_BASE/a?key={/gone/key}',
      curl: expect.stringContaining(`'/a?key='"$KEY"`) as string,
    });
  });

  it('keep what is wrong besides', () => {
    const wrong = { ...config, config: { jobs: [{ endpiont: 'a' }] } };
    expect(faultsOf(wrong, unset).join('\n')).toContain('is "endpiont" a misspelling of it?');
  });
});
