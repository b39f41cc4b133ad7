/** The manual of the language: its JSON Schema, its parts, and a page for each, including those of an application. */
import { didYouMean } from '../../language/codec/finding';
import { multipleFields } from '../../language/configuration/pagination';
import type { Part, PartOf, Parts } from '../../language/parts/parts';
import { BUILT_IN, partsWithBuiltIn } from '../../run/built-in-parts';
import type { SchemaDocument } from '../../language/codec/schema';
import { configurationSchema } from '../../language/configuration/schema';
import { ConfigurationError } from '../../core/errors/errors';
import { pageOfMiddleware, pageOfOptions, pageOfSink, sectionOfFunction } from './page';
import * as registry from '../../sinks/registry';
import type { ComponentManual } from '../../language/codec/component';

/**
 * The manual page of `multiple` (docs/language/pagination/multiple.md). It is no method by itself: it lets jobs choose among several
 * methods, so the codec of the configuration reads it.
 */
const multiple: ComponentManual & { readonly name: string } = {
  name: 'multiple',
  summary: 'Names several methods, of which each job chooses one.',
  use: 'Use it if endpoints of one API page in different ways.',
  rules: [
    '`scroller` of a job names an entry of `scrollers`. An unknown name is an error. With other methods, `scroller` has no effect.',
    'An entry has a method, its options and its stops. It cannot be `multiple`.',
    'Stops beside `scrollers` apply to all jobs, together with those of the entry.',
  ],
  example: {
    about: 'Stations page by offset, alerts by the highest number so far:',
    config: {
      api: {
        pagination: {
          method: 'multiple',
          default: 'plain',
          scrollers: {
            plain: { method: 'offset', limit: 2 },
            feed: { method: 'cursor', idKey: 'seq', param: 'after' },
          },
        },
      },
      config: { jobs: [{ endpoint: 'stations' }, { endpoint: 'alerts', scroller: 'feed' }] },
    },
    exchanges: [
      { request: 'GET /stations?limit=2&offset=0', response: [{ id: 1 }] },
      { request: 'GET /alerts', response: [{ seq: 8 }] },
      { request: 'GET /alerts?after=8', response: [] },
    ],
    items: [{ id: 1 }, { seq: 8 }],
  },
};

/** An entry in the list of parts. */
export interface PartSummary {
  readonly kind: Part['kind'];
  readonly name: string;
  /** A summary of one sentence; empty if a part of the application has none. */
  readonly summary: string;
}

/** A page in Markdown, or why there is none. */
export type Explanation = { readonly page: string } | { readonly fault: string };

/**
 * Returns the JSON Schema (draft 2020-12) of configurations, for editors.
 *
 * @param components parts of the application that configurations may use
 * @throws ConfigurationError when one of them is incomplete, or its name is taken
 * @example writeFileSync('headwater.schema.json', stringifyJson(schemaOf([marker])));
 */
export const schemaOf = (components: readonly Part[] = []): SchemaDocument =>
  configurationSchema(languageWith(components));

/**
 * Returns all parts that a configuration may use, and the middleware of the application: by kind, in the order of their names.
 *
 * @throws ConfigurationError when one of the application's is incomplete, or its name is taken
 * @example partsOf().filter(({ kind }) => kind === 'pagination').map(({ name }) => name) // ['cursor', 'offset', …]
 */
export const partsOf = (components: readonly Part[] = []): readonly PartSummary[] =>
  allParts(components).map(({ kind, name, summary = '' }) => ({ kind, name, summary }));

/**
 * Returns the page of a part: what it is, when to use it, its options, its rules, an example.
 *
 * @param name the name of a part, after its kind if two kinds share the name: `offset`, `sink csv`
 * @throws ConfigurationError when one of the application's parts is incomplete, or its name is taken
 * @example explain('offset')
 */
export function explain(name: string, components: readonly Part[] = []): Explanation {
  if (name === multiple.name || name === `pagination ${multiple.name}`) return { page: pageOfMultiple() };
  const parts = allParts(components);
  const found = parts.filter((part) => part.name === name || nameWithKind(part) === name);
  const [part, ...others] = found;
  if (part !== undefined && others.length === 0) return { page: pageOf(part) };
  if (part !== undefined) return { fault: `There are several parts "${name}": ${found.map(nameWithKind).join(', ')}.` };
  const names = name.includes(' ') ? parts.map(nameWithKind) : parts.map((each) => each.name);
  return { fault: `There is no part "${name}"${didYouMean(name, names) || '.'}` };
}

/** Returns the page of `multiple`, which the codec of configurations reads itself, since it chooses among methods. */
export const pageOfMultiple = (): string =>
  pageOfOptions({ ...multiple, options: multipleFields(undefined, BUILT_IN) });

const nameWithKind = ({ kind, name }: Part): string => `${kind} ${name}`;

function languageWith(components: readonly Part[]): Parts {
  const parts = partsWithBuiltIn(components);
  if (parts._tag === 'Left') throw new ConfigurationError(parts.left);
  return parts.right;
}

function allParts(components: readonly Part[]): readonly Part[] {
  const { authentication, pagination, format, function: functions } = languageWith(components);
  const own = <K extends Part['kind']>(kind: K): readonly PartOf<K>[] =>
    components.filter((part): part is PartOf<K> => part.kind === kind);
  // A sink of the application overrides a built-in one of its name.
  const sinks = new Map([...Object.values<PartOf<'sink'>>(registry), ...own('sink')].map((sink) => [sink.name, sink]));
  return [
    ...authentication.values(),
    ...pagination.values(),
    ...format.values(),
    ...functions.values(),
    ...[...sinks.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    // In the order in which they wrap a request.
    ...own('middleware'),
  ];
}

function pageOf(part: Part): string {
  switch (part.kind) {
    case 'authentication':
    case 'pagination':
    case 'format':
      return pageOfOptions(part);
    case 'function':
      return `${sectionOfFunction(part).replace(/^#/, '')}\n`;
    case 'sink':
      return pageOfSink(part);
    case 'middleware':
      return pageOfMiddleware(part);
  }
}
