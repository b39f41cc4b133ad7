import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { defineSink } from '../define-sink';
import { natsSink } from './sink';

export interface NatsSinkOptions {
  /** The folder where progress is kept; default: one in `.headwater` of the current folder. */
  readonly workFolder?: string;
}

export const nats = defineSink({
  kind: 'sink',
  name: 'nats',
  summary: 'Messages in a stream of NATS JetStream, one an item or one a page.',
  use: 'Choose it where services react to each item.',
  schemes: ['nats', 'tls'],
  address: ['nats://…'],
  example: 'nats://localhost:4222/RIVERS?subject=rivers',
  rules: [
    'The subject of a message is the prefix and the dataType; its body is what the API wrote.',
    'Messages are in the stream as soon as their page is written, each of them once.',
    'Progress is kept on this machine, in .headwater of the current folder.',
    'The packages @nats-io/transport-node and @nats-io/jetstream have to be installed.',
  ],
  makes: 'messages',
  create: ({ url }, { outputs }, { workFolder = workFolderOf(url) }: NatsSinkOptions) =>
    natsSink(url, { outputs, workFolder }),
});

/** The URL may hold a password: its digest names the folder. */
function workFolderOf(url: string): string {
  return join('.headwater', `nats-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`);
}
