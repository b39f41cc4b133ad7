import { defineFunction } from './define';

/** The function `time` (docs/language/functions.md#time). */
export const time = defineFunction({
  name: 'time',
  summary: 'The present moment as a Unix timestamp.',
  use: 'A timestamp in a signature, or the end of a span of time that is asked for.',
  arguments: [],
  result: 'An integer: whole seconds since 1970 in UTC.',
  rules: [
    'A parameter is computed once for all pages of a job; a value of `query` and `oauth20` authentication for each request.',
  ],
  examples: [{ args: [], result: 1_623_835_815 }],
  call: (_args, now) => now,
});
