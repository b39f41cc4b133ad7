import { readEnvFiles } from '../index';
import type { EnvironmentOptions } from '../index';

/**
 * Where `{"env": …}` and `{"file": …}` of a configuration have their values from: the environment, and the files of `--env-file`. No
 * `.env` is read without being asked for.
 *
 * @throws FatalError CONFIG_UNREADABLE for a file that cannot be read
 */
export const environmentOf = ({ envFile = [] }: { readonly envFile?: readonly string[] }): EnvironmentOptions => ({
  env: readEnvFiles(envFile),
  secretFiles: true,
});
