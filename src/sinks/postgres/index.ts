import { defineSink } from '../../language/parts/sink';
import type { NestingOptions } from '../linked/nesting';
import type { Visibility } from '../options';
import { postgresSink } from './sink';
import { outline } from './outline';

export const postgres = defineSink({
  ...outline,
  create: ({ url }, { outputs, warn }, options: NestingOptions & { readonly visibility?: Visibility }) =>
    postgresSink(url, outputs, { ...options, warn }),
});
