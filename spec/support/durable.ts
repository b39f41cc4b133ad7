/** For specs of sinks that survive the death of their process. */
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { transformFile } from '@swc/core';
import type { RunManifest } from '../../src/core/durable-sink';
import type { Checkpoint, Item, Page } from '../../src/core/model';
import type { OutputPlan } from '../../src/plan/plan';
import type { JournaledPage } from '../../src/sinks/journal/journal';
import { aPage } from './pages';

export const aHead = (changes: Partial<RunManifest> = {}): RunManifest => ({
  id: 'run-1',
  fingerprint: 'f',
  startedAt: 1_500_000_000,
  previousStart: 0,
  ...changes,
});

export const anOutput = (changes: Partial<OutputPlan> = {}): OutputPlan => ({
  incremental: false,
  compatLevel: 3,
  ...changes,
});

export interface PageChanges {
  readonly iteration?: number;
  readonly extra?: ReadonlyMap<string, string>;
  readonly checkpoint?: Partial<Checkpoint>;
}

/** A page of a table; its call is that of the first job, unless the changes say otherwise. */
export const aPageOf = (dataType: string, items: readonly Item[], changes: PageChanges = {}): Page => {
  const { checkpoint, ...rest } = changes;
  const standing = { call: [0, 0], job: 'j', pages: 1, items: items.length, volume: 0, ...checkpoint };
  const job = { id: 'j', path: 'config.jobs[0]', endpoint: dataType, dataType };
  return aPage(items, { job, checkpoint: standing, ...rest });
};

/** What a journal is to give of a page. */
export const asJournaled = (page: Page): JournaledPage => ({
  checkpoint: { call: page.checkpoint.call, job: page.checkpoint.job, pages: page.checkpoint.pages },
  run: page.iteration,
  dataType: page.job.dataType,
  extra: page.extra,
  count: page.count,
  lines: Buffer.from(page.lines()),
});

export async function allOf<T>(values: AsyncIterable<T> | readonly T[]): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Pages of a journal, whose lines are kept here. */
export async function allPages(pages: AsyncIterable<JournaledPage>): Promise<readonly JournaledPage[]> {
  const all: JournaledPage[] = [];
  for await (const page of pages) all.push({ ...page, lines: Buffer.from(page.lines) });
  return all;
}

/** The texts of the files in a folder, by name; not those of folders in it. */
export async function textsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const names = entries.map(({ name }) => name).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

const SOURCES = join(__dirname, '../../src');
const OPTIONS = { module: { type: 'commonjs' }, jsc: { target: 'es2022', parser: { syntax: 'typescript' } } } as const;

const madeIn = new Map<string, Set<string>>();
/** Returns the sources that were made in a folder. */
function doneIn(target: string): Set<string> {
  const there = madeIn.get(target) ?? new Set();
  madeIn.set(target, there);
  return there;
}

/**
 * Makes JavaScript of a file of the sources, and of those that it needs, for a process of its own.
 *
 * @param source for example `sinks/ndjson/index`
 * @returns the path of the file that was made
 */
export async function compiled(source: string, target: string, done = doneIn(target)): Promise<string> {
  const made = join(target, `${source}.js`);
  if (done.has(source)) return made;
  done.add(source);
  const { code } = await transformFile(join(SOURCES, `${source}.ts`), OPTIONS);
  await mkdir(dirname(made), { recursive: true });
  await writeFile(made, code);
  for (const [, path = ''] of code.matchAll(/require\("(\.[^"]+)"\)/g))
    await compiled(relative(SOURCES, join(SOURCES, dirname(source), path)), target, done);
  return made;
}

/** Before each step that changes files: keeps a copy of them as a death there would leave them, or dies there. */
const STEPS = `
const fs = require('node:fs/promises');
const { cpSync } = require('node:fs');
const [at, folder, copies, ...args] = process.argv.slice(2);
let step = NaN;
const watch = (object, name) => {
  const original = object[name];
  object[name] = function (...values) {
    if (!Number.isNaN(step)) {
      if (at === 'all') cpSync(folder, copies + '/' + step, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      else if (step === Number(at)) process.kill(process.pid, 'SIGKILL');
      step += 1;
    }
    return original.apply(this, values);
  };
};
const watched = fs.open(__filename).then(async (handle) => {
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  for (const name of ['open', 'writeFile', 'rename', 'rm', 'mkdir', 'copyFile', 'link']) watch(fs, name);
  for (const name of ['write', 'appendFile', 'writeFile', 'truncate', 'sync', 'datasync']) watch(prototype, name);
});
watched.then(() => run(() => (step = 0))).then(
  () => process.stdout.write(String(step)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
`;

/** A program that changes the files of a folder, in a process of its own. */
export interface Stepwise {
  /**
   * Runs it to its end.
   *
   * @param copies a folder for copies: `0` is how the files were before the first step, and so on
   * @returns how many steps there were
   */
  readonly copied: (folder: string, copies: string, ...args: readonly string[]) => Promise<number>;
  /** Runs it, and kills it before its step number `at`; tells whether it ended before that step. */
  readonly killed: (folder: string, at: number, ...args: readonly string[]) => Promise<boolean>;
}

/**
 * @param program the body of an async function; `folder` and `args` are what is given, steps count from `start()`
 * @param place where its file is written
 * @throws Error with what it printed when it failed
 */
export async function stepwise(program: string, place: string): Promise<Stepwise> {
  const file = join(place, 'program.js');
  await writeFile(file, `${STEPS}\nasync function run(start) {\n${program}\n}\n`);
  const env = { ...process.env, NODE_PATH: join(SOURCES, '..', 'node_modules') };
  const run = async (...args: readonly string[]): Promise<number | undefined> => {
    const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
    const [code, steps, printed] = await Promise.all([
      new Promise<number | null>((resolve) => child.once('close', resolve)),
      text(child.stdout),
      text(child.stderr),
    ]);
    if (code !== null && code !== 0) throw new Error(printed);
    return code === 0 ? Number(steps) : undefined;
  };
  return {
    copied: async (folder, copies, ...args) => (await run('all', folder, copies, ...args)) ?? NaN,
    killed: async (folder, at, ...args) => (await run(String(at), folder, '', ...args)) !== undefined,
  };
}
