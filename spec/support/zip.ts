/** Makes zip archives and Excel files, right ones and others, for specs. */
import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive; what is not given is right. */
export interface ZipFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  /** The mode of the file, as Unix has it. */
  readonly mode?: number;
}

export interface ZipOptions {
  /** Whether numbers stand in fields of eight bytes. */
  readonly isZip64?: boolean;
  readonly comment?: string;
}

const WIDE = 0xffffffff;

const numbers = (...fields: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer =>
  Buffer.concat(
    fields.map(([length, value]) => {
      const bytes = Buffer.alloc(length);
      if (length === 8) bytes.writeBigUInt64LE(BigInt(value));
      else bytes.writeUIntLE(value, 0, length);
      return bytes;
    }),
  );

/** An archive of files, in their order. */
export function zipOf(files: readonly ZipFile[], { isZip64 = false, comment = '' }: ZipOptions = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, method = 8, flags = 0x800, mode = 0, ...wrong } of files) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const { crc = crc32(bytes), size = bytes.length } = wrong;
    const title = Buffer.from(name);
    const head = [[2, 45] as const, [2, flags] as const, [2, method] as const, [4, 0x21] as const, [4, crc] as const];
    const sizes = [isZip64 ? WIDE : packed.length, isZip64 ? WIDE : size].map((value) => [4, value] as const);
    const extra = isZip64 ? numbers([2, 1], [2, 24], [8, size], [8, packed.length], [8, at]) : Buffer.alloc(0);
    const own = Buffer.concat([numbers([4, 0x04034b50], ...head, ...sizes, [2, title.length], [2, 0]), title, packed]);
    bodies.push(own);
    directory.push(
      numbers(
        [4, 0x02014b50],
        [2, mode === 0 ? 45 : 0x300 + 45],
        ...head,
        ...sizes,
        [2, title.length],
        [2, extra.length],
      ),
      numbers([2, 0], [2, 0], [2, 0], [4, mode * 0x10000], [4, isZip64 ? WIDE : at]),
      title,
      extra,
    );
    at += own.length;
  }
  const length = directory.reduce((sum, each) => sum + each.length, 0);
  const count = files.length;
  const end64 = numbers(
    ...([
      [4, 0x06064b50],
      [8, 44],
      [2, 45],
      [2, 45],
      [4, 0],
      [4, 0],
      [8, count],
      [8, count],
      [8, length],
      [8, at],
    ] as const),
    ...([
      [4, 0x07064b50],
      [4, 0],
      [8, at + length],
      [4, 1],
    ] as const),
  );
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, isZip64 ? 0xffff : count], [2, isZip64 ? 0xffff : count]);
  const places = numbers([4, isZip64 ? WIDE : length], [4, isZip64 ? WIDE : at], [2, comment.length]);
  return Buffer.concat([...bodies, ...directory, ...(isZip64 ? [end64] : []), end, places, Buffer.from(comment)]);
}
