import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Module, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cachedDataVersionTag, deserialize, serialize } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** What V8 compiled of a file, and the checksum of the text of the file. */
interface Compiled {
  readonly text: number;
  readonly code: Buffer;
}

/** The function that a CommonJS file is the body of. */
type Body = (
  exports: unknown,
  require: (name: string) => unknown,
  module: NodeJS.Module,
  filename: string,
  folder: string,
) => void;

/** The opening has a line of its own, so that stacks have the lines and columns of the file. */
const OPENING = Buffer.from('(function (exports, require, module, __filename, __dirname) {\n');
const CLOSING = Buffer.from('\n})');

/** Milliseconds after which a process that still runs keeps its code: V8 drops that of functions that have not run for a while. */
const SOON = 2000;

/**
 * Returns a `require` for the files of a folder, which keeps what V8 compiles of them in the folder `.cache` inside of it, from where
 * the next process takes it. Nothing is kept where that folder cannot be written, by a process that fails, and if
 * NODE_DISABLE_COMPILE_CACHE is set, as in Node.js. Whoever can write the cache can write the files: it needs no more trust than these.
 *
 * @param folder the absolute path of the folder; its files are CommonJS, and require one another as `./name.js`
 * @param purpose the name of the cache: processes of one purpose use the same functions of the files
 * @example cachedRequire(__dirname, 'run')('./command.js')
 */
export function cachedRequire(folder: string, purpose: string): (name: string) => unknown {
  const isOff = process.env.NODE_DISABLE_COMPILE_CACHE !== undefined;
  // V8 accepts no code of another version of it, or of other flags.
  const path = join(folder, '.cache', `${purpose}-${cachedDataVersionTag()}`);
  const kept = isOff ? new Map<string, Compiled>() : read(path);
  const loaded = new Map<string, { readonly text: number; readonly script: Script }>();
  let isKept = true;
  const other = createRequire(join(folder, 'main.js'));
  const load = (name: string): unknown => {
    if (!name.startsWith('./')) return other(name);
    const filename = join(folder, name);
    const before = other.cache[filename];
    if (before !== undefined) return before.exports;
    const content = readFileSync(filename);
    // Node.js gives an `import` only to what it compiles itself.
    if (content.includes('import(')) return other(filename);
    const module = Object.assign(new Module(filename), { filename });
    other.cache[filename] = module;
    const text = crc32(content);
    const compiled = kept.get(name);
    const script = new Script(Buffer.concat([OPENING, content, CLOSING]).toString(), {
      ...{ filename, lineOffset: -1 },
      ...(compiled?.text === text ? { cachedData: compiled.code } : {}),
    });
    if (script.cachedDataRejected !== false) isKept = isOff;
    loaded.set(name, { text, script });
    const body = script.runInThisContext() as Body;
    body.call(module.exports, module.exports, load, module, filename, folder);
    module.loaded = true;
    return module.exports;
  };
  const keep = (): void => {
    if (isKept || (process.exitCode ?? 0) !== 0) return;
    isKept = true;
    const fresh = [...loaded].map(
      ([name, { text, script }]) => [name, { text, code: script.createCachedData() }] as const,
    );
    write(path, new Map([...kept, ...fresh]));
  };
  setTimeout(keep, SOON).unref();
  process.once('exit', keep);
  return load;
}

/** The length of the checksum before the content of a cache. */
const CHECKSUM = 4;

/** Returns what a cache has; nothing if there is none, or a part of one. */
function read(path: string): ReadonlyMap<string, Compiled> {
  try {
    const content = readFileSync(path);
    const entries = content.subarray(CHECKSUM);
    if (crc32(entries) === content.readUInt32LE()) return deserialize(entries) as ReadonlyMap<string, Compiled>;
  } catch {
    // There is none yet.
  }
  return new Map();
}

/** Writes a cache, at once for those who read it; does without where that is not allowed. */
function write(path: string, compiled: ReadonlyMap<string, Compiled>): void {
  const entries = serialize(compiled);
  const checksum = Buffer.alloc(CHECKSUM);
  checksum.writeUInt32LE(crc32(entries));
  const part = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(part, Buffer.concat([checksum, entries]));
    renameSync(part, path);
  } catch {
    // The next process compiles again.
  }
}
