import type { ChildJobPlan } from '../plan/plan';
import type { CallInput } from './call';
import type { Telling } from './changed-address';

/**
 * Warns, once a job, of a value of a batch that holds the separator: the API takes it for several values, and what the value stands
 * for is not asked for (docs/extensions/batches.md). The request is sent all the same, since the value may be meant as a list.
 */
export function tellOfSeparators(
  { placeholders, job: { id, path, endpoint, dataType } }: ChildJobPlan,
  { separator, style }: NonNullable<ChildJobPlan['batch']>,
  { bindings }: CallInput,
  { report, toldOnce }: Telling,
): void {
  for (const { name } of placeholders.filter(({ level }) => level === 1)) {
    const values = bindings.get(name)?.values ?? [];
    // In the other styles the values of a parameter are elements of an array; in an endpoint they are joined.
    const isJoined = style === 'join' || endpoint.includes(`{${name}}`);
    const key = `${id} ${name} separator`;
    if (!isJoined || !values.some((value) => value.includes(separator)) || toldOnce?.has(key) === true) continue;
    toldOnce?.add(key);
    const message =
      `${path}.batch: a value of {${name}} has ${JSON.stringify(separator)}, which stands between the values of a batch: the API takes it for several, ` +
      `and the items of that value may be missing. Set another "batchSeparator", or "batchStyle": "repeat" or "list", if the API takes that; ` +
      `let the function rawurlencode encode a value in an endpoint; or leave "batch" out.`;
    report({ type: 'warning', code: 'SEPARATOR_IN_VALUE', message, job: { id, path, endpoint, dataType } });
  }
}
