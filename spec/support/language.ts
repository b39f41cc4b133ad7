/** The language with the parts of Headwater itself, as applications get it. */
import { decodeConfiguration as decode, type DecodeOptions } from '../../src/language/configuration/decode';
import { configurationSchema as schemaOf } from '../../src/language/configuration/schema';
import { planConfiguration as plan, type PlanOptions } from '../../src/plan/compile';
import { BUILT_IN } from '../../src/run/built-in-parts';

export const decodeConfiguration = (input: unknown, options: Partial<DecodeOptions> = {}) =>
  decode(input, { parts: BUILT_IN, ...options });

export const configurationSchema = (parts = BUILT_IN) => schemaOf(parts);

export const planConfiguration = (configuration: Parameters<typeof plan>[0], options: Partial<PlanOptions> = {}) =>
  plan(configuration, { parts: BUILT_IN, ...options });
