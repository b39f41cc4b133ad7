import { string } from '../../language/codec/primitives';
import { optional } from '../../language/codec/record';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'nats',
  summary: 'Messages in a NATS JetStream stream, one per item or page.',
  use: 'Use it if services react to items.',
  schemes: ['nats', 'tls'],
  address: ['nats://…'],
  example: 'nats://localhost:4222/RIVERS?subject=rivers',
  rules: [
    'The subject is the prefix and the dataType. The body is what the API wrote.',
    'Messages are in the stream as soon as their page is written, each once; those of a cluster at the commit.',
    'Install @nats-io/transport-node and @nats-io/jetstream.',
  ],
  makes: 'messages',
  options: {
    workFolder: optional(string, {
      about: 'The local folder of the progress. Default: one in `.headwater` of the current folder.',
      example: 'progress/rivers',
    }),
  },
} as const satisfies SinkOutline;
