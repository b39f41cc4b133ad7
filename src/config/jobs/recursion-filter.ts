import * as t from 'io-ts';
import { refine, refuse, withSchema, type Codec } from '../../codec/codec';
import { string } from '../../codec/primitives';

const OPERATORS = ['==', '!=', '>=', '<=', '>', '<', '~~', '!~'];

const hasOperator = (condition: string): boolean => OPERATORS.some((operator) => condition.includes(operator));

const CONDITION = `[^|&]*(?:${OPERATORS.join('|')})[^|&]*`;

/**
 * `recursionFilter` (docs/language/jobs.md#recursionfilter): every condition needs an operator. What they mean is
 * compiled later.
 */
export const recursionFilter: Codec<string> = withSchema(
  refine('RecursionFilter', string, (filter, context) => {
    const broken = filter.split(/[|&]/).findIndex((condition) => !hasOperator(condition));
    if (broken < 0) return t.success(filter);
    const what = `an operator (one of ${OPERATORS.join(', ')}) in every condition`;
    return refuse(filter, context, `expected ${what}, found none in condition ${broken + 1}`);
  }),
  () => ({ type: 'string', pattern: `^${CONDITION}(?:[|&]${CONDITION})*$` }),
);
