/** The cells of the library: a run in this process, by what streams and promises give. */
import { join } from 'node:path';
import { digested } from './normal.mjs';

/** Facts of an error that say where it happened; its message says the rest. */
const FACTS = ['code', 'name', 'message', 'recovery', 'status', 'method', 'url', 'table', 'destination'];

const errorOf = (error) => ({
  ...Object.fromEntries(FACTS.filter((fact) => error[fact] !== undefined).map((fact) => [fact, error[fact]])),
  ...(error.job && { job: error.job.path }),
  ...(error.faults && { faults: error.faults }),
  ...(error.doubts && { doubts: error.doubts.map(({ code, path }) => `${code} ${path}`) }),
});

const pageOf = (page) =>
  `${page.count} items, page ${page.index}${page.checkpoint.position === undefined ? ', the last' : ''}`;

/** One line an event: its type, its code if it has one, the job, and what a page has. */
const eventOf = (event) =>
  [event.type, event.code, event.job?.path ?? event.page?.job.path, event.page && pageOf(event.page), event.message]
    .filter((part) => part !== undefined)
    .join(' | ');

const outcomeOf = async (work) => {
  try {
    return { result: await work() };
  } catch (error) {
    return { error: errorOf(error) };
  }
};

/** The events of a run, and its items. */
const extracted = async (library, configuration) => {
  const events = [];
  const items = [];
  const { error } = await outcomeOf(async () => {
    const extraction = library.extract(configuration, { onEvent: (event) => events.push(eventOf(event)) });
    for await (const item of extraction) items.push(library.stringifyJson(item));
  });
  return { events, rows: digested(items), ...(error && { error }) };
};

/** The result of a delivery into a folder of lines; what it stored is among the columns of the command. */
const delivered = async (library, configuration, folder) => {
  const events = [];
  const destinations = [library.sinks.ndjson(join(folder, 'out'))];
  const { result, error } = await outcomeOf(() =>
    library.deliver(configuration, destinations, { onEvent: (event) => events.push(eventOf(event)) }),
  );
  return {
    events,
    ...(result && { stored: result.stored, outcome: result.outcome, keys: Object.keys(result).sort() }),
    ...(error && { error }),
  };
};

export const libraryColumns = { extract: extracted, deliver: delivered };
