import { FARTHEST_SECOND } from '../dates/calendar';
import { momentFormatFault, momentText } from '../dates/moment-format';
import { parseTime } from '../dates/relative-time';
import { ScriptError } from '../script-error';
import { textAt } from './arguments';
import { defineFunction } from './define';

/** The function `now` (docs/language/functions.md#now). */
export const now = defineFunction({
  name: 'now',
  summary: 'The present moment, or one from which words lead, in a format in plain words.',
  use: 'Times in parameters, headers and the claims of a token, without knowing the letters of `date`.',
  arguments: [
    {
      name: 'format',
      type: 'string',
      about:
        '`ISO 8601`, `date`, `time`, `unix`, `unix-ms`, or letters as [`date`](#date) has them; default: `ISO 8601`.',
      optional: true,
    },
    {
      name: 'move',
      type: 'string',
      about: 'Words as [`strtotime`](#strtotime) has them, such as `-7 days`.',
      optional: true,
    },
  ],
  result: 'A string; for `unix` and `unix-ms` an integer. All in UTC.',
  rules: [
    'Upper and lower case of the words are equal. A single word that is none of these is an error.',
    'The moment is that of whole seconds, so `unix-ms` ends in three zeros.',
    'Words that are not understood are an error, unlike `strtotime`.',
    'When it is computed: as for [`time`](#time).',
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
