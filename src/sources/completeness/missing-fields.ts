import type { Doubt } from '../../core/evidence';
import { didYouMean } from '../../language/expressions/nearest';
import type { JobPlan } from '../../plan/plan';
import { soughtFields } from '../shaping/sought';
import type { SoughtField } from '../shaping/sought';
import type { JobEvidence } from './evidence-tracker';

/** What an operation makes of items that lack its field. */
const RESULTS: Readonly<Record<Exclude<SoughtField['operation'], 'passes'>, string>> = {
  unnest: 'such items are dropped',
  compute: 'there it is `null`',
  filter: 'there it is an empty string',
  exclude: 'there it is an empty string',
  unique: 'such items are all kept',
  rename: 'nothing was renamed',
  children: 'there it is an empty string',
};

/** The fields that the configuration names and no item of a job had, each with a message for people. */
export function missingFields({ met, keys = [], items }: JobEvidence, plan: JobPlan): ReadonlyMap<SoughtField, string> {
  if (items === 0) return new Map();
  return new Map(
    soughtFields(plan).flatMap((field, at) => {
      const { operation, option, path } = field;
      if (operation === 'passes' || met.has(at) || plan.optionalFields?.includes(path) === true) return [];
      const hint = didYouMean(path, keys);
      const message = `.${option}: no item of ${plan.endpoint} had the field "${path}": ${RESULTS[operation]}.${hint} If items may lack it, name it in optionalFields.`;
      return [[field, message] as const];
    }),
  );
}

/** Where such a field is why a job delivers nothing at all, the run is incomplete. */
export function nothingDelivered({ shaped }: JobEvidence, missing: ReadonlyMap<SoughtField, string>): readonly Doubt[] {
  if (shaped === undefined || shaped.delivered > 0) return [];
  const decisive = [...missing].filter(([{ operation }]) => operation === 'unnest' || operation === 'filter');
  return decisive.map(([, message]) => ({
    code: 'FIELD_NOT_FOUND',
    level: 'error',
    message: `All ${shaped.arrived} items were dropped. ${message.slice(1)}`,
  }));
}

/**
 * What to say of filters of children that no item has passed, of those with all of their fields: the tables of these children have no
 * rows. It may be meant; a value that is misspelled looks the same.
 */
export function filtersNotPassed(
  { met, items, shaped }: JobEvidence,
  plan: JobPlan,
  missing: ReadonlyMap<SoughtField, string>,
): readonly string[] {
  const count = shaped?.delivered ?? items;
  if (count === 0) return [];
  const told = new Set([...missing.keys()].map(({ option }) => option));
  return soughtFields(plan).flatMap(({ operation, option, path }, at) => {
    if (operation !== 'passes' || met.has(at) || told.has(option)) return [];
    const hint = /[=!]=(?:true|false)\b/.test(path) ? ' There, true is "1", and false an empty string.' : '';
    const tested = count === 1 ? 'the only item' : `none of ${count.toLocaleString('en')} items`;
    const passed = count === 1 ? 'did not pass' : 'passed';
    return [
      `${plan.path}.${option}: ${tested} of ${plan.endpoint} ${passed} ${JSON.stringify(path)}, so that the child was never called.${hint} ` +
        'If it should be called, compare the values that the filter names with those of the API.',
    ];
  });
}
