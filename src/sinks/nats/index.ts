import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { defineSink } from '../../language/parts/sink';
import { natsSink } from './sink';
import { outline } from './outline';

export interface NatsSinkOptions {
  /** The folder where progress is kept; default: one in `.headwater` of the current folder. */
  readonly workFolder?: string;
}

export const nats = defineSink({
  ...outline,
  create: ({ url }, { outputs }, { workFolder = workFolderOf(url) }: NatsSinkOptions) =>
    natsSink(url, { outputs, workFolder }),
});

/** The URL may hold a password: its digest names the folder. */
function workFolderOf(url: string): string {
  return join('.headwater', `nats-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`);
}
