/**
 * The files of the recordings: one a case, with a cell a column. What a cell has in common with an earlier one of its
 * file is written once: `{ "as": "csv" }` stands for the same part there.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const FOLDER = new URL('./recordings/', import.meta.url);
const WIDTH = 120;

const fileOf = (name) => new URL(`${name}.json`, FOLDER);

/** What fits into a line stands in one. */
const formatted = (value, indent = '') => {
  const line = JSON.stringify(value);
  if (indent.length + line.length <= WIDTH || value === null || typeof value !== 'object') return line;
  const inner = `${indent} `;
  const members = Array.isArray(value)
    ? value.map((member) => inner + formatted(member, inner))
    : Object.entries(value).map(([key, member]) => `${inner}${JSON.stringify(key)}: ${formatted(member, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
};

/** Does `change` to each part of each run of each cell. */
const eachPart = (cells, change) =>
  Object.fromEntries(
    Object.entries(cells).map(([column, { runs }]) => [
      column,
      {
        runs: runs.map((run, index) =>
          Object.fromEntries(Object.entries(run).map(([key, part]) => [key, change(part, { column, index, key })])),
        ),
      },
    ]),
  );

const packed = (cells) => {
  const seen = new Map();
  return eachPart(cells, (part, { column, index, key }) => {
    const text = JSON.stringify(part);
    const place = `${index} ${key} ${text}`;
    const first = seen.get(place);
    if (first === undefined) seen.set(place, column);
    return first === undefined || text.length < 20 ? part : { as: first };
  });
};

const unpacked = (cells) =>
  eachPart(cells, (part, { index, key }) => (part?.as === undefined ? part : cells[part.as].runs[index][key]));

export const readRecording = (name) =>
  existsSync(fileOf(name)) ? unpacked(JSON.parse(readFileSync(fileOf(name), 'utf8'))) : {};

export const writeRecording = (name, cells) => {
  mkdirSync(FOLDER, { recursive: true });
  const sorted = Object.fromEntries(Object.entries(cells).sort(([left], [right]) => (left < right ? -1 : 1)));
  // Through JSON, which leaves out what is not there.
  writeFileSync(fileOf(name), `${formatted(packed(JSON.parse(JSON.stringify(sorted))))}\n`);
};

/** Recordings of cases that are no longer there. */
export const orphans = (names) =>
  (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .map((file) => file.replace(/\.json$/, ''))
    .filter((name) => !names.includes(name));

export const removeRecording = (name) => rmSync(fileOf(name));
