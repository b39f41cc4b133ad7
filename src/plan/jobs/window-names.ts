import * as E from 'fp-ts/Either';
import type { Job } from '../../language/configuration/configuration';
import type { Scope } from '../../language/expressions/expression';
import type { Fault } from '../../core/errors/errors';
import type { Checked } from '../../language/codec/checked';

const PLACEHOLDER = /\{window\.([^{}]*)\}/g;
const NAMES = ['from', 'to'];

/**
 * Refuses names of windows that stand for nothing where requests have them (docs/language/jobs.md#windows-and-partitions): they would
 * be sent as they are written, and the API would mostly ignore them.
 *
 * @param known what expressions of the job may name
 */
export function checkWindowNames(job: Job, { window }: Scope['known']): Checked<void> {
  const { endpoint, params, headers, body, graphql, asynchronous } = job;
  const hasWindow = window !== undefined;
  const faults = Object.entries({ endpoint, params, headers, body, graphql, asynchronous }).flatMap(([key, part]) => {
    const path = `${job.path}.${key}`;
    return isObject(part) ? membersOf(part, path, hasWindow) : unknownIn(part, path, hasWindow);
  });
  return faults.length > 0 ? E.left(faults) : E.right(undefined);
}

function unknownIn(part: unknown, path: string, hasWindow: boolean): readonly Fault[] {
  if (typeof part === 'string')
    return [...part.matchAll(PLACEHOLDER)].flatMap(([written, name = '']) => faultOf(written, name, path, hasWindow));
  if (!isObject(part)) return [];
  const entries = Object.entries(part);
  const [[key, name] = []] = entries;
  if (entries.length === 1 && key === 'window' && typeof name === 'string' && NAMES.includes(name) && !hasWindow)
    return faultOf(JSON.stringify(part), name, path, hasWindow);
  return membersOf(part, path, hasWindow);
}

/** Parameters themselves are no expression, even where one is called `window`. */
const membersOf = (part: object, path: string, hasWindow: boolean): readonly Fault[] =>
  Object.entries(part).flatMap(([key, value]) => unknownIn(value, `${path}.${key}`, hasWindow));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function faultOf(written: string, name: string, path: string, hasWindow: boolean): readonly Fault[] {
  if (!hasWindow) return [{ path, message: `has ${written}, and neither this job nor one above it has a "window"` }];
  if (NAMES.includes(name)) return [];
  return [{ path, message: `has ${written}, which stands for nothing: expected {window.from} or {window.to}` }];
}
