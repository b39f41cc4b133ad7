import * as t from 'io-ts';
import { expected, refine, type Codec } from './codec';
import { string } from './primitives';

const OPERATORS = ['==', '!=', '>=', '<=', '>', '<', '~~', '!~'];

const hasOperator = (condition: string): boolean => OPERATORS.some((operator) => condition.includes(operator));

/** `recursionFilter` (language 6.7): every condition needs an operator. What they mean is compiled later. */
export const recursionFilter: Codec<string> = refine('RecursionFilter', string, (filter, context) => {
  const broken = filter.split(/[|&]/).find((condition) => !hasOperator(condition));
  return broken === undefined
    ? t.success(filter)
    : expected(`an operator (one of ${OPERATORS.join(', ')}) in every condition`, broken, context);
});
