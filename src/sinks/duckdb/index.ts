import { defineSink } from '../../language/parts/sink';
import type { StructOptions } from '../linked/nesting';
import { duckdbSink } from './sink';
import { outline } from './outline';

export const duckdb = defineSink({
  ...outline,
  create: ({ rest: file }, { outputs, warn }, options: StructOptions) =>
    duckdbSink(file, outputs, { ...options, warn }),
});
