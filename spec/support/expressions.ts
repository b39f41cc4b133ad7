/** What expressions know, for specs. */
import { BUILT_IN } from '../../src/run/built-in-parts';
import type { Contexts, Scope } from '../../src/language/expressions/expression';

/** All functions of the language, and these values. */
export const scopeOf = (known: Contexts = {}): Scope => ({ functions: BUILT_IN.function, known });
