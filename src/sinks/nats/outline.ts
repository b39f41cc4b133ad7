import { string } from '../../language/codec/primitives';
import { optional } from '../../language/codec/record';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
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
  options: {
    workFolder: optional(string, {
      about: 'The folder where progress is kept. Default: one in `.headwater` of the current folder.',
      example: 'progress/rivers',
    }),
  },
} as const satisfies SinkOutline;
