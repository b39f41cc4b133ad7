import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pagedJob, runCommand } from './headwater.mjs';
import { ofCsv, ofNdjson, textItem } from './outputs.mjs';

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/** What takes part out of competition: all the requests, and nothing done with what they bring. */
export const bareLoop = (url, path, { step = 1, requests, atOnce = 1 }) => [
  process.execPath,
  fileOf('../bare-loop.mjs'),
  url,
  path,
  ...[step, requests, atOnce].map(String),
];

/** A request for each of many parents, by hand: the items go to a file as they arrive. */
export const handChildren = (url, atOnce, file) => [
  process.execPath,
  fileOf('../hand-children.mjs'),
  url,
  String(atOnce),
  file,
];

/**
 * The yardstick of the others.
 *
 * @param url the server
 * @param limit items a page
 */
export const handLoop = (url, limit) => ({
  name: 'hand-written loop',
  command: (folder) => [process.execPath, fileOf('../hand-loop.mjs'), url, String(limit), join(folder, 'items.ndjson')],
  read: (folder) => ofNdjson([join(folder, 'items.ndjson')]),
});

/**
 * Who takes part. Each has a `name`, the `command` that reads all pages into a folder, where its standard output goes
 * (`output`), a way to `read` what it wrote, and the `form` in which its output says an item.
 *
 * @param url the server
 * @param limit items a page
 */
export const ownContestants = (url, limit) => [
  handLoop(url, limit),
  {
    name: 'headwater, NDJSON',
    command: (folder) => runCommand(pagedJob(url, limit), folder),
    output: (folder) => join(folder, 'items.ndjson'),
    read: (folder) => ofNdjson([join(folder, 'items.ndjson')]),
  },
  {
    name: 'headwater, NDJSON in a folder',
    command: (folder) => runCommand(pagedJob(url, limit), folder, ['--to', `ndjson:${join(folder, 'ndjson')}`]),
    read: (folder) => ofNdjson([join(folder, 'ndjson', 'items.ndjson')]),
  },
  {
    name: 'headwater, CSV',
    command: (folder) => runCommand(pagedJob(url, limit), folder, ['--to', `csv:${join(folder, 'csv')}`]),
    read: (folder) => ofCsv(join(folder, 'csv')),
    form: textItem,
  },
];
