/** Checks, before the first request, that destinations make of a configuration what it means (docs/sinks.md). */
import { ConfigurationError } from './errors';
import type { Fault } from './errors';
import type { Made } from './durable-sink';
import type { OutputPlan } from './plan/plan';

/** What is asked of a destination. */
export interface Making {
  /** For people, without credentials. */
  readonly name: string;
  readonly makes?: Made;
  /** True where somebody else brings the tables to their place. */
  readonly isLoadedByOthers?: boolean;
}

/** Something that the configuration asks for, and a destination does not do. */
interface Objection {
  readonly path: string;
  readonly reason: string;
  readonly remedy: string;
  readonly isFatal: boolean;
}

/**
 * Refuses a configuration that means other data than a destination would have in the end: a job that asks only for what is
 * new, into tables that are replaced; mappings, where nothing is mapped.
 *
 * @param sinks the destinations
 * @param outputs how each run of the configuration writes
 * @returns warnings
 * @throws ConfigurationError with everything that is refused
 * @example checkDestinations([destinationOf('csv:out')(outputs)], outputs)
 */
export function checkDestinations(sinks: readonly Making[], outputs: readonly OutputPlan[]): readonly Fault[] {
  const found = new Map<string, Objection & { readonly names: Set<string> }>();
  for (const sink of sinks)
    for (const objection of outputs.flatMap((output) => objectionsTo(sink, output, outputs))) {
      const key = `${objection.path}\n${objection.reason}`;
      const known = found.get(key) ?? { ...objection, names: new Set() };
      found.set(key, known);
      known.names.add(sink.name);
    }
  const all = [...found.values()];
  const refused = all.filter(({ isFatal }) => isFatal).map(faultOf);
  if (refused.length > 0) throw new ConfigurationError(refused);
  return all.filter(({ isFatal }) => !isFatal).map(faultOf);
}

const faultOf = ({ path, reason, remedy, names }: Objection & { readonly names: Set<string> }): Fault => ({
  path,
  message: `${reason} (${[...names].join(', ')}). ${remedy}`,
});

const objectionsTo = (
  { makes, isLoadedByOthers = false }: Making,
  output: OutputPlan,
  outputs: readonly OutputPlan[],
): readonly Objection[] => [
  ...(!isLoadedByOthers && isReplaced(makes, output, outputs) ? askingForNews(output) : []),
  ...(output.mappings === undefined || makes === 'linked-tables' ? [] : [unmapped(makes)]),
];

/** True where the rows of a run replace those of earlier runs. Runs that share tables replace as soon as one of them does. */
function isReplaced(makes: Made | undefined, { bucket }: OutputPlan, outputs: readonly OutputPlan[]): boolean {
  if (makes !== 'tables' && makes !== 'linked-tables') return false;
  return outputs.some((other) => !other.incremental && (makes === 'tables' || other.bucket === bucket));
}

const REPLACED = 'but the rows of a run take the place of those that earlier runs have brought';
const ADD =
  'Write "incrementalOutput": true in config: rows are then added, and with a "primaryKey" they take the place of rows ' +
  'with the same key.';

const askingForNews = ({ incrementalJobs = [], sincePrevious = [] }: OutputPlan): readonly Objection[] => [
  ...incrementalJobs.map(({ path }) => ({
    path: `${path}.incremental`,
    reason: `asks only for what is new, ${REPLACED}`,
    remedy: ADD,
    isFatal: true,
  })),
  ...sincePrevious.map((path) => ({
    path,
    reason: `names time.previousStart, as if to ask only for what is new, ${REPLACED}`,
    remedy: ADD,
    isFatal: false,
  })),
];

function unmapped(makes: Made | undefined): Objection {
  const path = 'config.mappings';
  const remedy = 'Use csv:FOLDER, or remove the mappings.';
  return makes === undefined
    ? { path, reason: 'have no effect on items that are passed on as they came', remedy, isFatal: false }
    : { path, reason: 'are not applied: only linked tables have them', remedy, isFatal: true };
}
