import { parseTime } from '../dates/relative-time';
import { textAt, timestampAt } from './arguments';
import { defineFunction } from './define';

/** The function `strtotime` (docs/language/functions.md#strtotime). */
export const strtotime = defineFunction({
  name: 'strtotime',
  summary: 'The moment that words such as `-7 days` mean, as a Unix timestamp.',
  use: 'The beginning or the end of a span of time that is asked for; reading a date.',
  arguments: [
    { name: 'text', about: 'A date, or words that move it.' },
    {
      name: 'base',
      type: 'number or numeric string',
      about: 'The moment from which the words move, in Unix seconds; default: now.',
      optional: true,
    },
  ],
  result: 'An integer in Unix seconds, or `false` where the string is not understood.',
  rules: [
    'Dates without a zone are in UTC.',
    'Parts take effect from left to right.',
    'A date without a clock time is at midnight.',
  ],
  examples: [
    { args: ['-1 day'], result: 1_623_749_415 },
    { args: ['2020-02-03'], result: 1_580_688_000 },
    { args: ['soon'], result: false },
  ],
  call: (args, now) => parseTime(textAt(args, 0), timestampAt(args, 1, now)) ?? false,
});
