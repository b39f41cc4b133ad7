import { ScriptError } from '../../parts/errors';
import { FARTHEST_SECOND } from '../dates/calendar';
import { dateFormatFault, formatDate, momentFormatFault, momentText } from '../dates/format';
import { parseTime } from '../dates/parse-time';
import { defineFunction, textAt, timestampAt } from './define';

/** The function `date` (docs/language/functions.md#date). */
export const date = defineFunction({
  name: 'date',
  summary: 'Formats a moment, in UTC.',
  arguments: [
    {
      name: 'format',
      type: 'string',
      about: '[Letters](dates.md) for parts of the date; a backslash makes the next character literal.',
    },
    {
      name: 'timestamp',
      type: 'number or numeric string',
      about: 'Unix seconds; default: now. `false`, which `strtotime` returns for an unknown string, is 1970.',
      optional: true,
    },
  ],
  rules: [
    'A timestamp beyond the calendar, such as milliseconds, is an error. So is a format with repeated letters: `YYYY-MM-DD` is `Y-m-d` here.',
  ],
  examples: [
    { args: ['Y-m-d', 1_600_000_000], result: '2020-09-13' },
    { args: ['Y-m-d\\TH:i:s'], result: '2021-06-16T09:30:15' },
  ],
  call: (args, now) => {
    const timestamp = timestampAt(args, 1, now);
    const format = textAt(args, 0);
    const wrong = dateFormatFault(format);
    if (wrong !== undefined) throw new ScriptError(`argument 1, ${wrong}`);
    if (Math.abs(timestamp) <= FARTHEST_SECOND) return formatDate(format, timestamp);
    throw new ScriptError('argument 2 is beyond the calendar; a timestamp counts seconds, not milliseconds.');
  },
});

/** The function `time` (docs/language/functions.md#time). */
export const time = defineFunction({
  name: 'time',
  summary: 'Returns the current Unix timestamp, in whole seconds.',
  arguments: [],
  rules: [
    'A parameter is computed once for all pages of a job; a value of `query` and `oauth20` authentication for each request.',
  ],
  examples: [{ args: [], result: 1_623_835_815 }],
  call: (_args, now) => now,
});

/** The function `strtotime` (docs/language/functions.md#strtotime). */
export const strtotime = defineFunction({
  name: 'strtotime',
  summary: 'Returns the moment of words such as `-7 days` as a Unix timestamp.',
  arguments: [
    { name: 'text', about: 'A date, or [words](dates.md#words) that move it.' },
    {
      name: 'base',
      type: 'number or numeric string',
      about: 'Where the words begin, in Unix seconds; default: now.',
      optional: true,
    },
  ],
  result: 'An integer; `false` for a string that is not understood.',
  rules: ['Dates without a zone are in UTC, without a time at midnight. Parts take effect from left to right.'],
  examples: [
    { args: ['-1 day'], result: 1_623_749_415 },
    { args: ['2020-02-03'], result: 1_580_688_000 },
    { args: ['soon'], result: false },
  ],
  call: (args, now) => parseTime(textAt(args, 0), timestampAt(args, 1, now)) ?? false,
});

/** The function `now` (docs/language/functions.md#now). */
export const now = defineFunction({
  name: 'now',
  summary: 'Returns the current moment, or one moved by words, in UTC.',
  arguments: [
    {
      name: 'format',
      type: 'string',
      about: '`ISO 8601` (default), `date`, `time`, `unix`, `unix-ms`, or letters of [`date`](#date).',
      optional: true,
    },
    {
      name: 'move',
      type: 'string',
      about: 'Words of [`strtotime`](#strtotime), such as `-7 days`.',
      optional: true,
    },
  ],
  result: 'A string; for `unix` and `unix-ms` an integer.',
  rules: [
    'Case does not matter. Another single word is an error.',
    '`unix-ms` ends in three zeros.',
    'Words that are not understood are an error, unlike in `strtotime`.',
    'It is computed when [`time`](#time) is.',
  ],
  examples: [
    { args: [], result: '2021-06-16T09:30:15Z' },
    { args: ['unix', '+5 minutes'], result: 1_623_836_115 },
    { args: ['unix-ms'], result: 1_623_835_815_000 },
    { args: ['date', 'first day of this month'], result: '2021-06-01' },
    { args: ['d.m.Y H:i'], result: '16.06.2021 09:30' },
  ],
  call: (args, seconds) => {
    const moment = args.length > 1 ? moved(textAt(args, 1), seconds) : seconds;
    const format = args.length > 0 ? textAt(args, 0) : 'iso 8601';
    const wrong = momentFormatFault(format);
    if (wrong !== undefined) throw new ScriptError(wrong);
    return momentText(format, moment);
  },
});

function moved(words: string, seconds: number): number {
  const moment = parseTime(words, seconds);
  if (moment !== undefined && Math.abs(moment) <= FARTHEST_SECOND) return moment;
  throw new ScriptError('argument 2 is understood as no moment.');
}
