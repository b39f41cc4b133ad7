/** Lists that are called for each item of another one: their placeholders, their keys, and their jobs. */
import type { Discovery, DiscoveryFinding } from './discover';
import { childKeyOf } from '../detect/item-keys';
import type { FoundJob } from '../detect/combined';
import { UNSURE } from '../detect/configuration-text';
import type { Comments } from '../detect/configuration-text';
import type { Detected } from '../detect/model';
import type { Beginning } from '../import/imported';
import {
  entriesOf,
  isList,
  isObject,
  objectAt,
  objectFrom,
  ownValue,
  stringAt,
  valueBelow,
} from '../../core/json/objects';
import { withMember } from '../../core/json/literals';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import type { Preview } from '../probe/model';

/** A list that was examined. */
export interface FoundList {
  readonly beginning: Beginning;
  readonly discovery: Discovery;
  readonly unasked?: string;
  readonly notes: readonly string[];
  /** The items for other items of its parent. */
  readonly samples: readonly (readonly Json[])[];
  readonly placeholders?: Readonly<Record<string, string>>;
  /** The parent list. */
  readonly parent?: FoundList;
  /** The values in the requested address, by placeholder. */
  readonly values: Readonly<Record<string, string>>;
}

/** Returns the field of each placeholder: one that items of the parent have. */
export function fieldsOf({ placeholders = {} }: Beginning, { discovery }: FoundList): Readonly<Record<string, string>> {
  const item = discovery.items.find(isObject);
  if (item === undefined) return placeholders;
  const key = discovery.findings.find(({ about }) => about === 'key')?.value;
  return Object.fromEntries(
    Object.entries(placeholders).map(([name, field]) => {
      const likely = [field, name, key, 'id'].find((each) => each !== undefined && isScalar(ownValue(item, each)));
      return [name, likely ?? field];
    }),
  );
}

/** Returns the values of placeholders, for items of the parent. */
export function valuesOf(
  placeholders: Readonly<Record<string, string>>,
  parent: FoundList,
): readonly Readonly<Record<string, string>>[] {
  return parent.discovery.items.filter(isObject).flatMap((item) => {
    const own = Object.entries(placeholders).flatMap(([name, field]): [string, string][] => {
      const value = ownValue(item, field);
      return isScalar(value) && value !== null ? [[name, textOf(value)]] : [];
    });
    return own.length < Object.keys(placeholders).length ? [] : [{ ...parent.values, ...Object.fromEntries(own) }];
  });
}

export function notesOf(
  { id, summary }: Beginning,
  parent: FoundList | undefined,
  placeholders: Readonly<Record<string, string>>,
): readonly string[] {
  const first = `${id}${summary === undefined ? '' : `: ${summary}`}`;
  if (parent === undefined) return [first];
  const isSeen = parent.discovery.items.some(isObject) && valuesOf(placeholders, parent).length > 0;
  const fields = Object.entries(placeholders).map(([name, field]) => `{${name}} is its field "${field}"`);
  return [first, `${isSeen ? '' : UNSURE}Called for each item of ${parent.beginning.name}: ${fields.join(', ')}.`];
}

/** Returns the findings about a list: the key of a child is the key of its rows. */
export function findingsOf(looked: FoundList): readonly DiscoveryFinding[] {
  const key = keyOf(looked);
  return looked.discovery.findings.map((each) =>
    each.about !== 'key' || key === undefined ? each : { about: 'key', ...key, value: key.value.join(', ') },
  );
}

/** Returns a list with the lists below it, as a job. */
export function foundJob(looked: FoundList, all: readonly FoundList[]): FoundJob {
  const { beginning, discovery, notes, placeholders } = looked;
  const { configuration, comments, dataType } = discovery;
  const children = all.filter((each) => each.beginning.parent === beginning.id).map((each) => foundJob(each, all));
  if (placeholders === undefined) return { dataType, configuration, comments, notes, children };
  const others = Object.fromEntries(Object.entries(comments).filter(([name]) => name !== 'config/primaryKeys'));
  const key = keyOf(looked);
  return {
    ...{ dataType, children, placeholders },
    configuration: withKey(configuration, dataType, key?.value),
    comments: key === undefined ? others : { ...others, 'config/primaryKeys': [key.reason, KEY_MEANS] },
    address: addressOf(beginning.request.url),
    notes: key === undefined ? [...notes, ...unsureKey(comments)] : notes,
  };
}

const KEY_MEANS = 'With `"load": "merge"` in the job, rows with equal keys replace each other.';

/** Returns the key of the rows of a child across all items of its parent. */
function keyOf({ discovery, samples, parent, placeholders = {} }: FoundList): Detected<readonly string[]> | undefined {
  if (parent === undefined) return undefined;
  const above = fieldsAbove(parent);
  const fields = Object.values(placeholders);
  const parentKey = parent.parent === undefined ? keyFinding(parent) : keyOf(parent)?.value.join(', ');
  return childKeyOf({
    byParent: [discovery.items, ...samples],
    fields: [...above, ...fields],
    isParentAlone: above.length === 0 || parentKey === fields.join(', '),
    isDeep: parent.parent !== undefined,
  });
}

const fieldsAbove = ({ parent, placeholders = {} }: FoundList): readonly string[] =>
  parent === undefined ? [] : [...fieldsAbove(parent), ...Object.values(placeholders)];

const keyFinding = ({ discovery }: FoundList): string | undefined =>
  discovery.findings.find(({ about }) => about === 'key')?.value;

/** Returns a possible key, if none is written. */
function unsureKey({ 'config/primaryKeys': lines = [] }: Comments): readonly string[] {
  const [first] = lines;
  return first === undefined
    ? []
    : [`${UNSURE}${first} Of items of other parents that is not known, so no key is written.`];
}

function withKey(configuration: JsonObject, dataType: string, key: readonly string[] | undefined): JsonObject {
  const own = objectFrom(entriesOf(objectAt(configuration, 'config')).filter(([name]) => name !== 'primaryKeys'));
  return withMember(
    configuration,
    'config',
    key === undefined ? own : withMember(own, 'primaryKeys', objectFrom([[dataType, [...key]]])),
  );
}

/** Returns the address with its placeholders, and without possible secrets. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/%7B/gi, '{').replace(/%7D/gi, '}')}`;
}

/** The place of the job of a list in the common configuration, and its endpoint there. */
export interface Place {
  readonly path: string;
  readonly endpoint: string;
}

/** Returns the places of all lists by their ids: children below their parents. */
export function placesOf(all: readonly FoundList[], configuration: JsonObject): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const visit = (parent: string | undefined, jobs: Json | undefined, above: string): void =>
    all
      .filter(({ beginning }) => beginning.parent === parent)
      .forEach(({ beginning: { id } }, at) => {
        const job = isList(jobs) ? jobs[at] : undefined;
        const path = `${above}[${at}]`;
        places.set(id, { path, endpoint: stringAt(job, 'endpoint') ?? id });
        visit(id, valueBelow(job, 'children'), `${path}.children`);
      });
  visit(undefined, valueBelow(configuration, 'config', 'jobs'), 'config.jobs');
  return places;
}

/** Returns the preview of a single list with the place of its job among all. */
export const placedPreview = (found: Preview, place: Place, { parent, values }: FoundList): Preview => ({
  ...found,
  jobs: found.jobs.map((job) => ({ ...job, ...place, ...(parent === undefined ? {} : { placeholders: values }) })),
});
