import { FARTHEST_SECOND } from '../dates/calendar';
import { dateFormatFault, formatDate } from '../dates/date-format';
import { ScriptError } from '../script-error';
import { textAt, timestampAt } from './arguments';
import { defineFunction } from './define';

/** The function `date` (docs/language/functions.md#date). */
export const date = defineFunction({
  name: 'date',
  summary: 'A moment in a format of your choice, in UTC.',
  use: 'Dates in the form that an API wants.',
  arguments: [
    {
      name: 'format',
      type: 'string',
      about: 'Letters that stand for parts of the date; a backslash makes the next character literal.',
    },
    {
      name: 'timestamp',
      type: 'number or numeric string',
      about: 'Unix seconds; default: now. `false`, which `strtotime` gives for what it does not understand, is 1970.',
      optional: true,
    },
  ],
  result: 'A string.',
  rules: [
    'Milliseconds are no seconds: a timestamp beyond the calendar is an error.',
    'So is a format that repeats letters, as other languages do: `YYYY-MM-DD` is written `Y-m-d` here.',
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
