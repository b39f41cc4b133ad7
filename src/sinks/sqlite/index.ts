import { defineSink } from '../../language/parts/sink';
import type { NestingOptions } from '../linked/nesting';
import { outline } from './outline';
import { sqliteSink } from './sink';

export const sqlite = defineSink({
  ...outline,
  create: ({ rest: file }, { outputs, warn }, options: NestingOptions) =>
    sqliteSink(file, outputs, { ...options, warn }),
});
