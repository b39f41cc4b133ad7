import * as t from 'io-ts';
import { isBlank } from '../../../core/json/scalars';
import { entriesOf, isList, isObject, keysOf, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { noting, refine, withSchema, type Codec, type Input } from '../../codec/codec';
import type { Finding, Path } from '../../codec/finding';
import { pathNotes } from '../../codec/values';
import { asObject, isMissing, object, valueOf } from '../../codec/primitives';
import { blank, EXPRESSION, tolerant, type Schema } from '../../codec/schema';
import { didYouMean } from '../../codec/finding';
import { mistaken } from '../../codec/unknown-key';

const LEVEL = /^(\d+):/;
const WRITTEN = /\{([^{}]+)\}/g;

const hasPath = (field: Json): boolean => {
  const path = isObject(field) ? ownValue(field, 'path') : field;
  return typeof path === 'number' || (typeof path === 'string' && path !== '');
};

function problemOf(name: string, field: Json, depth: number): string | undefined {
  if (!hasPath(field)) return 'expected a path in the parent item, or an object with "path" and "function"';
  const level = Number(LEVEL.exec(name)?.[1] ?? 1);
  if (level < 1 || level > depth)
    return `level ${level} does not exist here: this child has ${depth} level(s) above it`;
  return undefined;
}

const placeholder: Schema = {
  anyOf: [
    { type: ['string', 'number'], minLength: 1 },
    {
      title: 'ComputedPlaceholder',
      type: 'object',
      properties: {
        path: { type: ['string', 'number'], minLength: 1 },
        function: { type: 'string' },
        args: { type: 'array', items: EXPRESSION },
      },
      required: ['path'],
    },
  ],
};

const placeholdersObject = withSchema(object, () =>
  tolerant({ type: 'object', additionalProperties: placeholder }, { type: 'array', items: placeholder }, blank),
);

/**
 * `placeholders` of a child (docs/language/jobs.md#placeholders): every field has a path, and every level exists.
 *
 * @param depth the number of jobs above: 1 for the child of a top-level job
 */
export const placeholders = (depth: number): Codec<JsonObject> =>
  noting(placeholdersAt(depth), (written, path) =>
    entriesOf(asObject(written) ?? {}).flatMap(([name, field]) =>
      isObject(field) ? pathNotes(ownValue(field, 'path'), [...path, name, 'path']) : pathNotes(field, [...path, name]),
    ),
  );

const placeholdersAt = (depth: number): Codec<JsonObject> =>
  refine('Placeholders', depth === 0 ? object : placeholdersObject, (written, context) => {
    if (depth === 0) return t.success(written);
    const errors = entriesOf(written).flatMap(([name, field]): t.ValidationError[] => {
      const message = problemOf(name, field, depth);
      if (message === undefined) return [];
      return [{ value: field, context: t.appendContext(context, name, object, field), message }];
    });
    return errors.length > 0 ? t.failures(errors) : t.success(written);
  });

/** Returns all parts of a job and its children in which placeholders are replaced. */
const partsBelow = (job: Input): readonly Input[] => {
  const children = valueOf(job, 'children');
  const filled = isOff(valueOf(job, 'placeholdersInParams')) ? ['headers'] : ['headers', 'params', 'variables', 'body'];
  const asynchronous = valueOf(job, 'asynchronous');
  const requests = [job, ...['submit', 'poll'].map((key) => valueOf(asynchronous, key))];
  return [
    ...requests.flatMap((request) => ['endpoint', ...filled].map((key) => valueOf(request, key))),
    ...(isList(children) ? children.flatMap(partsBelow) : []),
  ];
};

const isOff = (flag: Input): boolean => !isMissing(flag) && isBlank(flag);

function namesIn(part: Input): readonly string[] {
  if (typeof part === 'string') return [...part.matchAll(WRITTEN)].map(([, name = '']) => name);
  if (isList(part)) return part.flatMap(namesIn);
  return isObject(part) ? entriesOf(part).flatMap(([, value]) => namesIn(value)) : [];
}

/**
 * Finds placeholders that nothing in the job or its children uses: they only add a column
 * (docs/language/jobs.md#placeholders).
 */
export function unusedPlaceholders(job: Input, path: Path): readonly Finding[] {
  const written = valueOf(job, 'placeholders');
  if (isBlank(written)) return [];
  const names = keysOf(asObject(written) ?? {});
  const used = partsBelow(job).flatMap(namesIn);
  const open = used.filter((name) => !names.includes(name));
  return names
    .filter((name) => !used.includes(name))
    .map((name) => {
      const hint = didYouMean(name, open);
      const message = `is in no endpoint, params, variables, body or headers of this job or its children: it only adds a column${hint}`;
      // A misspelled placeholder would be sent literally, once for each parent item.
      return { path: [...path, 'placeholders', name], ...(hint === '' ? { message } : mistaken(message)) };
    });
}
