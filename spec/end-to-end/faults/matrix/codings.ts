import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { HARMLESS, refused } from '../fault';
import type { FaultGroup } from '../fault';
import { lengthHeader, under, whole } from '../support/wire';

const coded = (coding: string, body: Buffer) => whole(body, [['Content-Encoding', coding]]);
/** 320 MiB of blanks, more than a body may have, in members of gzip: one is quickly made. */
const bomb = (): Buffer => Buffer.concat(Array<Buffer>(20).fill(gzipSync(Buffer.alloc(2 ** 24, ' '))));

export const codings: FaultGroup = {
  title: 'Codings',
  pagings: 'one',
  intro: 'Compressed bodies. A body has at most 256 MiB, as it travels and unpacked.',
  faults: [
    { does: 'sends gzip', wire: ({ body }) => coded('gzip', gzipSync(body)), page: HARMLESS },
    { does: 'sends zlib as deflate', wire: ({ body }) => coded('deflate', deflateSync(body)), page: HARMLESS },
    { does: 'sends raw deflate', wire: ({ body }) => coded('deflate', deflateRawSync(body)), page: HARMLESS },
    { does: 'sends brotli', wire: ({ body }) => coded('br', brotliCompressSync(body)), page: HARMLESS },
    {
      does: 'sends gzip within gzip, and says so',
      wire: ({ body }) => coded('gzip, gzip', gzipSync(gzipSync(body))),
      page: HARMLESS,
    },
    {
      does: 'sends gzip in two members',
      wire: ({ body }) => coded('gzip', Buffer.concat([gzipSync(body.slice(0, 20)), gzipSync(body.slice(20))])),
      page: HARMLESS,
    },
    {
      does: 'cuts gzip short, with a Content-Length that fits',
      wire: ({ body }) => coded('gzip', gzipSync(body).subarray(0, -12)),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'leaves the checksum of gzip out',
      wire: ({ body }) => coded('gzip', gzipSync(body).subarray(0, -8)),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'sends gzip with a wrong checksum',
      wire: ({ body }) => {
        const bytes = gzipSync(body);
        bytes[bytes.length - 8] = (bytes[bytes.length - 8] ?? 0) ^ 0xff;
        return coded('gzip', bytes);
      },
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'says gzip and sends plain JSON',
      wire: ({ body }) => coded('gzip', Buffer.from(body)),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'cuts brotli short',
      wire: ({ body }) => coded('br', brotliCompressSync(body).subarray(0, -4)),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'cuts zlib short',
      wire: ({ body }) => coded('deflate', deflateSync(body).subarray(0, -8)),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'sends gzip and does not say so',
      wire: ({ body }) => whole(gzipSync(body)),
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'names a coding that does not exist, and sends plain JSON',
      wire: ({ body }) => coded('none', Buffer.from(body)),
      page: HARMLESS,
    },
    {
      does: 'sends a coding that was not asked for',
      wire: ({ body }) => coded('zstd', Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), gzipSync(body)])),
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'sends 300 kB that unpack to 320 MiB',
      wire: () => coded('gzip', bomb()),
      page: refused('API_SHAPE'),
      places: ['middle'],
      slow: true,
    },
    {
      does: 'announces 300 MB',
      wire: ({ body }) => under(lengthHeader(300_000_000), body),
      page: refused('API_SHAPE'),
    },
  ],
};
