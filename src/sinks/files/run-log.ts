/** The list of the runs that were committed to a folder, one line of JSON for each, for users and for repeated runs. */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { stringifyJson } from '../../core/json/stringify';
import type { JsonObject } from '../../core/model';
import { completeLines, LF } from './lines';
import { codeOf, fileFailure, PRIVATE_FILE } from './durable-files';
import { objectIn } from './checksum';

/** Each line begins with these characters and the id of its run. */
const ID = '{"run_id":';

export type RunLog = ReturnType<typeof runLog>;

/** @example await runLog('out/.headwater').recordOf('2024-06-01') // undefined */
export function runLog(folder: string) {
  const path = join(folder, 'runs.ndjson');
  return {
    /**
     * Appends the record of a run, unless it is there. A partial record that a killed process left is removed.
     *
     * @throws FatalError SINK_FAILED when the disk is full
     */
    add: async (record: JsonObject): Promise<void> => {
      try {
        const handle = await open(path, 'a+', PRIVATE_FILE);
        try {
          await addTo(handle, Buffer.from(`${stringifyJson(record)}\n`));
        } finally {
          await handle.close();
        }
      } catch (cause) {
        throw fileFailure(path, cause);
      }
    },
    /**
     * Returns the record of the run of this id. It reads the lines one after another: 100,000 runs take some hundred milliseconds.
     *
     * @throws FatalError DESTINATION_DAMAGED when a line is invalid, since it may be that run
     */
    recordOf: async (run: string): Promise<JsonObject | undefined> => {
      const start = Buffer.from(`${ID}${JSON.stringify(run)},`);
      const other = Buffer.from(`${ID}"`);
      try {
        for await (const { line } of completeLines(path)) {
          if (startsWith(line, other) && !startsWith(line, start)) continue;
          const record = recordIn(line, path);
          if (record?.['run_id'] === run) return record;
        }
      } catch (cause) {
        if (codeOf(cause) !== 'ENOENT') throw fileFailure(path, cause);
      }
      return undefined;
    },
  };
}

const startsWith = (line: Buffer, start: Buffer): boolean => line.subarray(0, start.length).equals(start);

/** Returns the record in a line, which another program may have written; `undefined` for an empty line. */
function recordIn(line: Buffer, path: string): JsonObject | undefined {
  const text = line.toString('utf8').trim();
  if (text === '') return undefined;
  const found = objectIn(text);
  if (found !== undefined) return found;
  const message = `${JSON.stringify(path)} is damaged: whether the run was committed before is not known. Correct its lines.`;
  throw new FatalError('DESTINATION_DAMAGED', message);
}

async function addTo(handle: FileHandle, line: Buffer): Promise<void> {
  const { size } = await handle.stat();
  const length = Math.min(size, line.length);
  const { buffer: end } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  if (end.equals(line)) return;
  const open = end.subarray(end.lastIndexOf(LF) + 1);
  // The text after the last LF is a part of this line, or the file was edited.
  if (line.subarray(0, open.length).equals(open)) await handle.truncate(size - open.length);
  else await handle.appendFile('\n');
  await handle.appendFile(line);
  await handle.sync();
}
