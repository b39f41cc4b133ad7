/** What stands for values that only an answer tells, where requests are put together without one. */
import type { CallValues, JobPlan } from '../../plan/plan';
import { variableName } from './variables';
import type { Variable } from './variables';

export interface Markers {
  /** A marker for each placeholder of all jobs. */
  readonly bindings: CallValues['bindings'];
  /** The shell variable for each marker. */
  readonly variables: ReadonlyMap<string, Variable>;
  /** A text with `{name}` in the place of markers. */
  readonly shown: (text: string) => string;
}

/** Letters and digits pass through every encoding as they are. */
const marker = (at: number): string => `hwPlaceholder${at}x`;

export function markersFor(jobs: readonly JobPlan[]): Markers {
  const names = [...new Set(jobs.flatMap(namesIn))];
  const markers = names.map((name, at) => ({ name, text: marker(at) }));
  return {
    bindings: new Map(markers.map(({ name, text }) => [name, { text }])),
    variables: new Map(
      markers.map(({ name, text }) => [text, { name: variableName(name), about: `the placeholder {${name}}` }]),
    ),
    shown: (text) => markers.reduce((filled, { name, text: each }) => filled.replaceAll(each, `{${name}}`), text),
  };
}

const namesIn = ({ children, asynchronous }: JobPlan): readonly string[] => [
  ...(asynchronous === undefined
    ? []
    : [...asynchronous.submit.values, ...asynchronous.poll.values].map(({ name }) => name)),
  ...children.flatMap(({ placeholders, job }) => [...placeholders.map(({ name }) => name), ...namesIn(job)]),
];
