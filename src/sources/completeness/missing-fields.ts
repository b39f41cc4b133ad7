import type { Doubt } from '../../evidence';
import { didYouMean } from '../../expressions/nearest';
import type { JobPlan } from '../../plan/plan';
import { soughtFields } from '../shaping/sought';
import type { SoughtField } from '../shaping/sought';
import type { JobEvidence } from './evidence-tracker';

/** What an operation makes of items that lack its field. */
const RESULTS: Readonly<Record<SoughtField['operation'], string>> = {
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
      if (met.has(at) || plan.optionalFields?.includes(path) === true) return [];
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
