/**
 * What there is to know of a configuration before a run. It is read and planned once; the verdict, the description, the requests and the
 * first pages are made of that plan.
 */
import { prepare, validationOf } from '../../run/validate';
import type { ValidateOptions, Validation } from '../../run/validate';
import type { UnsetOption } from '../../language/references/read';
import { checkDestinations } from '../../run/deliver/check-destinations';
import { destinationOf } from '../../run/deliver/destinations';
import type { Preview } from './model';
import type { PreviewOptions } from './preview';
import { plannedRequests } from './requests';
import type { RequestsAfter, RequestsOf, RequestsOptions } from './requests';
import { paragraphsOf } from './sentences';
import type { Paragraph } from './sentences';

/** A configuration that was read and planned. Only `preview` sends something. */
export interface Probe {
  /** Returns what `validate` returns, with the warnings about its destinations, which are not opened. */
  readonly judge: () => Validation;
  /** Returns what `explainConfiguration` returns. */
  readonly explain: () => readonly Paragraph[];
  /** Returns what `requestsOf` returns. */
  readonly requests: (after?: RequestsAfter) => RequestsOf;
  /** Resolves to what `preview` resolves to. */
  readonly preview: (options?: Omit<PreviewOptions, keyof ValidateOptions>) => Promise<Preview>;
}

/**
 * Reads and plans a configuration, once for all that is asked about it before a run.
 *
 * @param config the configuration, parsed
 * @throws ConfigurationError with every fault at once
 * @example
 * const probed = probe(config);
 * for (const { path, message } of probed.judge().warnings) console.warn(path, message);
 * const { jobs } = await probed.preview({ pages: 2 });
 */
export function probe(config: unknown, options: ValidateOptions & UnsetOption = {}): Probe {
  const prepared = prepare(config, options);
  const { components = [] } = options;
  const requests = (after: RequestsAfter = {}): RequestsOf => plannedRequests(prepared, { ...after, components });
  return {
    judge: () => {
      const validation = validationOf(prepared);
      const { sinks, outputs, warnings } = validation;
      const made = sinks.map((sink) => destinationOf(sink, { components })(outputs));
      return { ...validation, warnings: [...warnings, ...checkDestinations(made, outputs)] };
    },
    explain: () => paragraphsOf(prepared, requests(), options),
    requests,
    // What sends requests is loaded when something is sent.
    preview: async (own = {}) => (await import('./preview.js')).previewOf(prepared, { ...options, ...own }),
  };
}

/**
 * Returns the requests that a run would send, as far as they are known without sending any: logins, the first request of each job, of each
 * window and partition, and those of children with their placeholders in braces.
 *
 * @param config the configuration, parsed
 * @throws ConfigurationError with every fault at once
 * @example requestsOf(config).jobs.map(({ requests }) => requests[0]?.url)
 */
export const requestsOf = (config: unknown, options: RequestsOptions = {}): RequestsOf =>
  probe(config, options).requests(options);

/**
 * Describes a configuration without sending a request: its API, its login, what each job gets and for which items it is called, how items
 * are changed, and where they go. It contains no secrets.
 *
 * @param config the configuration, parsed
 * @throws ConfigurationError with every fault at once
 * @example explainConfiguration(config).flatMap(({ sentences }) => sentences).forEach((text) => console.log(text));
 */
export const explainConfiguration = (
  config: unknown,
  options: ValidateOptions & UnsetOption = {},
): readonly Paragraph[] => probe(config, options).explain();

/**
 * Requests one page of each job, of children for the first item with a call, and returns the responses, the places of the items, the tables
 * they make, and the next step of paging. Nothing is stored, and no destination is opened. Requests are those of a run: a job that submits
 * something submits it.
 *
 * @param config the configuration, parsed
 * @param options how many pages, and of which job
 * @returns the result of each job: one that fails has the reason, and prevents only the jobs below it
 * @throws ConfigurationError with every fault at once, before any request; RangeError for options; the reason of `signal`
 * @example
 * const { jobs } = await preview({ api: { baseUrl: 'https://api.example' }, config: { jobs: [{ endpoint: 'users' }] } });
 * for (const { endpoint, pages } of jobs) console.log(endpoint, pages[0]?.found.path, pages[0]?.more);
 */
export const preview = async (config: unknown, options: PreviewOptions = {}): Promise<Preview> =>
  probe(config, options).preview(options);
