import { createHash, randomUUID } from 'node:crypto';
import { textAt, defineFunction } from './define';

/** The namespace of URLs (RFC 9562, appendix A). */
const NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** Returns a UUID of version 5: the same name always has the same one. */
function named(name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The function `uuid` (docs/language/functions.md#uuid). */
export const uuid = defineFunction({
  name: 'uuid',
  summary: 'Returns a UUID (RFC 9562).',
  arguments: [
    {
      name: 'name',
      about:
        'The same name always gives the same UUID (version 5, namespace of URLs). Without it the UUID is random (version 4).',
      optional: true,
    },
  ],
  rules: ['A parameter is computed once for all pages of a job: they share a random UUID.'],
  examples: [{ args: ['https://api.example/ald'], result: 'e59f8b9c-9f8e-5c1c-9b1e-16327d306c5a' }],
  call: (args) => (args.length === 0 ? randomUUID() : named(textAt(args, 0))),
});
