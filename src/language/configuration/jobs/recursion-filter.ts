import * as t from 'io-ts';
import { noting, refine, refuse, withSchema, type Codec } from '../../codec/codec';
import { string } from '../../codec/primitives';

const OPERATORS = ['==', '!=', '>=', '<=', '>', '<', '~~', '!~'];

const DOUBLED = 'expected conditions joined by one "&" or one "|"';

const hasOperator = (condition: string): boolean => OPERATORS.some((operator) => condition.includes(operator));

const CONDITION = `[^|&]*(?:${OPERATORS.join('|')})[^|&]*`;

/**
 * Conditions (docs/language/jobs.md#recursionfilter): each of them needs an operator. What they mean is
 * compiled later.
 */
const conditions: Codec<string> = withSchema(
  refine('RecursionFilter', string, (filter, context) => {
    const broken = filter.split(/[|&]/).findIndex((condition) => !hasOperator(condition));
    if (broken < 0) return t.success(filter);
    if (/&&|\|\|/.test(filter)) return refuse(filter, context, DOUBLED);
    const what = `an operator (one of ${OPERATORS.join(', ')}) in every condition`;
    return refuse(filter, context, `expected ${what}, found none in condition ${broken + 1}`);
  }),
  () => ({ type: 'string', pattern: `^${CONDITION}(?:[|&]${CONDITION})*$` }),
);

/** Where two operators stand in one condition, words were meant to join two of them. */
const JOINED = new RegExp(`\\s(?:and|or)\\s.*(?:${OPERATORS.join('|')})`, 'i');
const OPERATOR = new RegExp(OPERATORS.join('|'));

/** What a person who knows other languages writes, and what would be taken literally. */
function mistakeIn(filter: string): string | undefined {
  for (const condition of filter.split(/[|&]/)) {
    const found = OPERATOR.exec(condition);
    if (found === null) continue;
    const [operator] = found;
    const [path, value] = [condition.slice(0, found.index), condition.slice(found.index + operator.length)];
    const meant = `${path.trim()}${operator}${bare(value)}`;
    if (operator === '<' && value.startsWith('>'))
      return `expected the operator "!=" in place of "<>": ${JSON.stringify(`${path.trim()}!=${bare(value.slice(1))}`)}`;
    if (JOINED.test(value))
      return 'expected conditions joined by "&" or "|": the words "and" and "or" would belong to the value';
    if (value.trim() !== bare(value))
      return `expected a value without quotes, which would belong to it: ${JSON.stringify(meant)}`;
    if (path !== path.trim() || value !== value.trim())
      return `expected no spaces around the operator, which would belong to the field or the value: ${JSON.stringify(meant)}`;
    const unsorted = /[<>]/.test(operator) && !SORTED_DATE.test(value) ? ANY_DATE.exec(value) : null;
    if (unsorted !== null)
      return `expected a date as in "2024-03-01", since texts are compared by their characters, not ${JSON.stringify(unsorted[0])}`;
  }
  return undefined;
}

const ANY_DATE = /^\d{1,4}([-./])\d{1,2}\1\d{1,4}/;
/** A date whose characters have its order. */
const SORTED_DATE = /^\d{4}([-./])\d\d\1\d\d(?!\d)/;

const bare = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/s, '$2');

/** The conditions of `filter` and `exclude` (docs/language/items.md#filter-and-exclude): the same, less what nobody means. */
export const itemFilter: Codec<string> = withSchema(
  refine('ItemFilter', conditions, (filter, context) => {
    const mistake = mistakeIn(filter);
    return mistake === undefined ? t.success(filter) : refuse(filter, context, mistake);
  }),
  () => ({ type: 'string', pattern: `^${CONDITION}(?:[|&]${CONDITION})*$` }),
);

/** `recursionFilter`: the language takes what nobody means, so that there it is worth a warning. */
export const recursionFilter: Codec<string> = noting(conditions, (input, path) => {
  const mistake = typeof input === 'string' ? mistakeIn(input) : undefined;
  return mistake === undefined ? [] : [{ path, message: mistake }];
});
