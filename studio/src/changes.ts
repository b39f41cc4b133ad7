/** Choices that change the text: what a job of it says, or a job of a part that it is laid on. */
import { changed, pathOf, valueAt, valueOf } from './place';
import type { Path } from './place';
import type { PartPlace } from './server';
import { fail, opened$, say, text$, written$ } from './store';
import type { WrittenJob } from './written';

/** A placeholder of a secret, which would be put back where the text is saved. */
const HIDDEN = /⟨secret/;

/** What a job may be changed in. */
type JobKey = 'dataField' | 'primaryKey' | 'incremental';

/** @example whereOf({ file: 'base.yaml', line: 6 }) // 'base.yaml, line 6' */
const whereOf = ({ file, line }: Pick<PartPlace, 'file' | 'line'>): string =>
  line === undefined ? file : `${file}, line ${line}`;

const ownFile = (): string => opened$.value?.name ?? 'this file';

/** Where a job of a part is written, and what becomes of a choice for it; `undefined` for a job of the text alone. */
export function originOf({ name, part }: WrittenJob): string | undefined {
  if (part === undefined) return undefined;
  const written = `${name} is written in ${whereOf(part)}`;
  if (part.isChanged) return `${written}, and changed in ${ownFile()}.`;
  if (part.id !== undefined) return `${written}. What you choose here is written into ${ownFile()}, and laid on it.`;
  return `${written}. Change it there: ${ownFile()} can change only jobs of a part that have an id and are no children of others.`;
}

/**
 * Changes the text at a path, so that comments stay.
 *
 * @param value `undefined` removes what is there
 */
function change(path: Path, value: unknown, done: string): boolean {
  const { language = 'json' } = opened$.value ?? {};
  text$.next(changed(text$.value, language, [...written$.value.root, ...path], value));
  say(done);
  return true;
}

function refuse(why: string): boolean {
  fail(why);
  return false;
}

/** Changes one key of a job where the text has it; one of a part by a job with its id, as parts are merged. */
function changeJob(job: WrittenJob, key: JobKey, value: unknown, done: string): boolean {
  const { part } = job;
  if (part !== undefined && HIDDEN.test(JSON.stringify([part.id, value])))
    return refuse(
      `${job.name} is written in ${whereOf(part)}, with a secret of that file. Change it there: ${ownFile()} never gets one.`,
    );
  if (part === undefined || part.isChanged) return change([...pathOf(job.path), key], value, done);
  if (part.id === undefined) return refuse(originOf(job) ?? '');
  const { language = 'json' } = opened$.value ?? {};
  const jobs = valueAt(valueOf(text$.value, language), [...written$.value.root, 'config', 'jobs']);
  const at = Array.isArray(jobs) ? jobs.length : 0;
  return change(
    ['config', 'jobs', at],
    { id: part.id, [key]: value },
    `${done} ${ownFile()} says so, laid on ${part.file}.`,
  );
}

/** A list of the response becomes the items. */
export const chooseList = (job: WrittenJob, path: string): boolean =>
  changeJob(
    job,
    'dataField',
    path === '' ? '.' : path,
    `The items of ${job.name} are in ${path === '' ? 'the answer itself' : path}.`,
  );

/** What {@link chooseNext} writes; other settings of a part would stay beside it. */
const NEXT_KEYS = ['method', 'urlKey'];

/** An address of the response becomes that of the next page. */
export function chooseNext(urlKey: string): boolean {
  const { beneath } = written$.value;
  const place = beneath?.places['api.pagination'];
  const others = Object.keys(valueAt(beneath?.config, ['api', 'pagination']) ?? {}).filter(
    (key) => !NEXT_KEYS.includes(key),
  );
  if (place !== undefined && others.length > 0)
    return refuse(
      `How pages follow each other is written in ${whereOf(place)}. Change it there: its ${others.join(', ')} would stay beside what ${ownFile()} says.`,
    );
  const value = { method: 'response.url', urlKey };
  return change(['api', 'pagination'], value, `The address of the next page is in ${urlKey}.`);
}

/** A column becomes part of the key, or no longer is. */
export function toggleKey(job: WrittenJob, name: string): boolean {
  const { primaryKey, part } = job;
  const next = primaryKey.includes(name) ? primaryKey.filter((key) => key !== name) : [...primaryKey, name];
  // Without one in the text, that of the part would hold.
  const none = part?.hasKey === true ? [] : undefined;
  const value = next.length === 0 ? none : next;
  return changeJob(job, 'primaryKey', value, `The key of ${job.name}: ${next.join(', ') || 'none'}.`);
}

/** A column becomes what later runs ask by, or no longer is. */
export function toggleCursor(job: WrittenJob, name: string): boolean {
  const { cursor, part } = job;
  if (cursor === name) {
    const none = part?.hasCursor === true ? null : undefined;
    return changeJob(job, 'incremental', none, `${job.name} asks for everything again.`);
  }
  if (part?.hasCursor !== true) {
    const done = `Later runs ask for what is newer by ${name}. Correct "param": the API may call it otherwise.`;
    return changeJob(job, 'incremental', { field: name, param: 'since' }, done);
  }
  if (part.cursor !== name || !part.isChanged)
    return refuse(
      `How later runs ask for what is newer is written in ${whereOf(part)}. Change it there: its settings would stay beside what ${ownFile()} says.`,
    );
  return changeJob(job, 'incremental', undefined, `Later runs ask for what is newer by ${name}, as ${part.file} says.`);
}
