import { sprintf as formatted } from '../sprintf/sprintf';
import { scalarAt } from './arguments';
import { defineFunction } from './define';

/** The function `sprintf` (docs/language/functions.md#sprintf). */
export const sprintf = defineFunction({
  name: 'sprintf',
  summary: 'Values laid into a format.',
  use: 'Padding, decimals, and strings with several values in them.',
  arguments: [
    { name: 'format', about: 'A string with places such as `%s`, `%05d`, `%2$s`.' },
    { name: 'values', about: 'The values, in order.', type: 'scalars', optional: true, repeated: true },
  ],
  result: 'A string.',
  rules: ['Fewer values than places are an error; more are not.', 'A plain percent sign is written `%%`.'],
  examples: [
    { args: ['%05d of %s', 42, 'many'], result: '00042 of many' },
    { args: ['%.2f', 3.5], result: '3.50' },
  ],
  call: (args) => {
    const [format, ...values] = args.map((_value, at) => scalarAt(args, at));
    return formatted(String(format), values);
  },
});
