import { readEnvFiles } from '..';
import type { EnvironmentOptions, ProxyVariables } from '..';

/** What a command takes from its environment. */
export interface Surroundings extends EnvironmentOptions {
  readonly proxies: ProxyVariables;
}

/**
 * Where `{"env": …}` and `{"file": …}` of a configuration have their values from: the environment, and the files of `--env-file`. No
 * `.env` is read without being asked for. The proxies are those of the same variables.
 *
 * @throws FatalError CONFIG_UNREADABLE for a file that cannot be read
 */
export const environmentOf = ({ envFile = [] }: { readonly envFile?: readonly string[] }): Surroundings => {
  const env = readEnvFiles(envFile);
  return { env, proxies: env, secretFiles: true };
};
