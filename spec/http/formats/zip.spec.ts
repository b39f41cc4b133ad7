import { filesIn } from '../../../src/http/formats/zip';
import { zipOf } from '../../support/zip';

const FILES = [
  { name: 'a.csv', content: 'a,b' },
  { name: 'folder/', content: '' },
  { name: 'b.csv', content: 'c' },
];
const LENGTH_OF_END = 22;
const DAMAGED = 'it is a damaged zip archive, or it ends too early';
const SEVERAL = 'it is a part of a zip archive in several parts';

/** Where the parts of an archive begin. */
interface Places {
  readonly directory: number;
  readonly end: number;
  /** Of an archive with numbers of eight bytes. */
  readonly end64: number;
  readonly locator: number;
}
type Damage = (archive: Buffer, places: Places) => unknown;

function damagedBy(damage: Damage, isZip64: boolean): Buffer {
  const archive = zipOf(FILES, { isZip64 });
  const end = archive.length - LENGTH_OF_END;
  const directory = archive.indexOf('PK\x01\x02');
  damage(archive, { directory, end, end64: archive.indexOf('PK\x06\x06'), locator: archive.indexOf('PK\x06\x07') });
  return archive;
}

describe.each([
  ['with short numbers', false],
  ['with numbers of eight bytes', true],
])('an archive %s', (_, isZip64) => {
  const archive = zipOf(FILES, { isZip64 });

  it('has its files, without folders', () => {
    expect(filesIn(archive).map(({ name }) => name)).toEqual(['a.csv', 'b.csv']);
  });

  it('is refused wherever it was cut off', () => {
    for (let length = 0; length < archive.length; length += 1)
      expect(() => filesIn(archive.subarray(0, length))).toThrow(DAMAGED);
  });

  it('is refused with a byte behind it', () => {
    expect(() => filesIn(Buffer.concat([archive, Buffer.alloc(1)]))).toThrow(DAMAGED);
  });

  it.each<readonly [string, Damage]>([
    ['an entry does not begin like one', (bytes, { directory }) => bytes.writeUInt32LE(0, directory)],
    ['a name goes on behind the directory', (bytes, { directory }) => bytes.writeUInt16LE(9999, directory + 28)],
    ['an entry has only a part in the directory', (bytes, { directory }) => bytes.writeUInt16LE(60, directory + 30)],
  ])('is refused where %s', (_, damage) => {
    expect(() => filesIn(damagedBy(damage, isZip64))).toThrow(DAMAGED);
  });
});

describe('an archive is refused where', () => {
  it.each<readonly [string, boolean, string, Damage]>([
    [
      'it has a file less than it says',
      false,
      DAMAGED,
      (bytes, { end }) => bytes.fill('\x04\0\x04\0', end + 8, end + 12),
    ],
    ['its directory ends too early', false, DAMAGED, (bytes, { end }) => bytes.writeUInt32LE(1, end + 12)],
    ['files are on another disk', false, SEVERAL, (bytes, { end }) => bytes.writeUInt16LE(1, end + 4)],
    [
      'its numbers of eight bytes are nowhere',
      true,
      SEVERAL,
      (bytes, { end, locator }) => {
        bytes.writeUInt32LE(0, locator);
        bytes.writeUInt16LE(1, end + 4);
      },
    ],
    [
      'a number of eight bytes is too large',
      true,
      DAMAGED,
      (bytes, { locator }) => bytes.fill(0xff, locator + 8, locator + 16),
    ],
    ['the end that is named is no end', true, DAMAGED, (bytes, { end64 }) => bytes.writeUInt32LE(0, end64)],
    [
      'the end that is named lies behind it',
      true,
      DAMAGED,
      (bytes, { end, locator }) => bytes.writeBigUInt64LE(BigInt(end), locator + 8),
    ],
    ['it has another number of files', true, DAMAGED, (bytes, { end64 }) => bytes.writeBigUInt64LE(9n, end64 + 32)],
  ])('%s', (_, isZip64, message, damage) => {
    expect(() => filesIn(damagedBy(damage, isZip64))).toThrow(message);
  });
});
