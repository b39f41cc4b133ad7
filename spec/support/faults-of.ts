import { ConfigurationError } from '../../src';
import type { Fault } from '../../src';

/**
 * The faults for which a configuration is refused.
 *
 * @example expect(await faultsOf(deliver(config, [sink]))).toMatchObject([{ path: 'config.jobs[0]' }])
 */
export async function faultsOf(work: Promise<unknown>): Promise<readonly Fault[]> {
  const error: unknown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (error instanceof ConfigurationError) return error.faults;
  throw new Error('not refused', { cause: error });
}
