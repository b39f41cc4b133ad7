import { jsonText } from './json-text';
import { print } from './print';

/** Prints what is said of a configuration; of several, its name stands above, as `head` and `tail` do it. */
export const printUnder = (name: string | undefined, text: string): void =>
  print(name === undefined ? text : `==> ${name} <==\n${text}\n`);

/** Prints a line of JSON; of several configurations, it has the name of its own. */
export const printJson = (name: string | undefined, value: object): void =>
  print(jsonText(name === undefined ? value : { configuration: name, ...value }));
