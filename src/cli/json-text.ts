import { stringifyJson } from '..';
import type { Json } from '..';

/** What the library gives as a line of JSON: it is made of JSON alone, with integers of any size. */
export const jsonText = (value: object): string => `${stringifyJson(value as Json)}\n`;
