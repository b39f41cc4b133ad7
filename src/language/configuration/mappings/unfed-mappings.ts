import { keysOf } from '../../../core/json/keys';
import type { Job, IterationConfiguration } from '../configuration';
import type { Finding } from '../../codec/finding';
import { whereWritten, type IterationSource } from '../iterations';
import { didYouMean } from '../../codec/suggest';

/**
 * Mappings of dataTypes that no job has: their tables stay empty. Iterations may share mappings, so a mapping counts as
 * fed when a job of any run that reads it has its dataType.
 *
 * @param sources the runs as they are written
 * @param runs the same, decoded
 */
export function unfedMappings(
  sources: readonly IterationSource[],
  runs: readonly IterationConfiguration[],
): readonly Finding[] {
  const fed = new Set<string>();
  const unfed = new Map<string, Finding>();
  for (const [at, { settings }] of runs.entries()) {
    const source = sources[at];
    if (source === undefined || settings.mappings === undefined) continue;
    const dataTypes = settings.jobs.flatMap(withDescendants).map(({ dataType }) => dataType);
    for (const name of keysOf(settings.mappings)) {
      const message = `no job has this dataType, so its table stays empty${didYouMean(name, dataTypes)}`;
      const finding = whereWritten({ path: ['config', 'mappings', name], message }, source);
      const place = JSON.stringify(finding.path);
      if (dataTypes.includes(name)) fed.add(place);
      else unfed.set(place, unfed.get(place) ?? finding);
    }
  }
  return [...unfed].filter(([place]) => !fed.has(place)).map(([, finding]) => finding);
}

const withDescendants = (job: Job): readonly Job[] => [job, ...job.children.flatMap(withDescendants)];
