import { basename } from 'node:path';
import type { DeliverOptions, EnvironmentOptions } from '../..';
import { encryptionKey } from '../encryption-key';
import { replayFrom } from '../recording-file';
import type { RunFlags } from './flags';

/** What flags say of how a run requests, and of what it keeps beside its tables. */
export async function requestOptions(flags: RunFlags, outside: EnvironmentOptions): Promise<DeliverOptions> {
  const { concurrency, prefetch, lenient, strict, cacheDir: cacheFolder, replay } = flags;
  const key = encryptionKey();
  return {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(prefetch === undefined ? {} : { prefetch }),
    ...{ lenient, strict },
    ...(replay === undefined ? { cacheFolder } : await replayFrom(replay)),
    ...(key === undefined ? {} : { encryptionKey: key }),
    ...outside,
    ownConnections: true,
  };
}

/** What flags say of how a run is stored. */
export function storeOptions(path: string, flags: RunFlags): DeliverOptions {
  const { resume, acceptIncomplete, allowEmpty, runId, withRunColumns } = flags;
  return {
    ...{ resume, acceptIncomplete, allowEmpty },
    ...(runId === undefined ? {} : { runId }),
    ...(withRunColumns === true ? { runColumns: true } : {}),
    ...(path === '-' ? {} : { configurationName: basename(path) }),
  };
}
