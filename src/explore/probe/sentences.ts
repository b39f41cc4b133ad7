/** Describes a configuration in sentences. */
import type { Json } from '../../core/model';
import { partsOf } from '../manual/explain';
import type { JobPlan } from '../../plan/plan';
import type { Prepared, ValidateOptions } from '../../run/validate';
import { NamedSecrets } from '../../language/references/read';
import { placedJobs } from './requests';
import type { JobRequests, RequestsOf } from './requests';

/** A paragraph of the description. */
export interface Paragraph {
  /** Its subject: the API, a job, or the destinations. */
  readonly about: string;
  /** The place of the subject in the configuration. */
  readonly path: string;
  readonly sentences: readonly string[];
}

/**
 * Describes a prepared configuration.
 *
 * @param requests those of its run
 */
export function paragraphsOf(
  { planned, secrets: known, references, document }: Prepared,
  requests: RequestsOf,
  { components }: Pick<ValidateOptions, 'components'>,
): readonly Paragraph[] {
  const [first] = planned.iterations;
  if (first === undefined) return [];
  const secrets = new NamedSecrets([...known, ...first.secrets], references);
  const types = new Map(partsOf(components).map(({ kind, name, summary }) => [`${kind} ${name}`, summary]));
  const plans = new Map(placedJobs(first.jobs).map(({ plan }) => [plan.path, plan]));
  const paragraphs: readonly Paragraph[] = [
    {
      about: 'the API',
      path: 'api',
      sentences: apiSentences(
        first.http.baseUrl,
        requests,
        planned.iterations.length,
        authenticationOf(document, types),
      ),
    },
    ...requests.jobs.map((job) => ({
      about: job.endpoint,
      path: job.path,
      sentences: jobSentences(job, plans.get(job.path)),
    })),
    {
      about: 'the data',
      path: 'config.sinks',
      sentences: sinkSentences(first.sinks.map((sink) => (typeof sink === 'string' ? sink : sink.to))),
    },
  ];
  return paragraphs.map((each) => ({ ...each, sentences: each.sentences.map((text) => secrets.mask(text)) }));
}

/** Returns the type of authentication from the written configuration, since a decoded one lacks its name. */
function authenticationOf(config: Json, types: ReadonlyMap<string, string>): string | undefined {
  const type = ['api', 'authentication', 'type'].reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    typeof config === 'object' && config !== null && 'parameters' in config ? config.parameters : config,
  );
  return typeof type === 'string'
    ? `Authentication "${type}": ${types.get(`authentication ${type}`) ?? ''}`.trim()
    : undefined;
}

function apiSentences(
  baseUrl: string,
  { logins }: RequestsOf,
  iterations: number,
  authentication: string | undefined,
): readonly string[] {
  return [
    `It asks ${baseUrl}.`,
    authentication ?? 'It sends no credentials but those in its own headers and parameters.',
    ...logins.map(({ method, url }) => `It logs in by ${method} ${url} before the first request that needs it.`),
    ...(iterations > 1
      ? [`All of it is done ${iterations} times, with other values each time: this is the first.`]
      : []),
  ];
}

function jobSentences(
  { calls, requests, paging, unknown, dataType }: JobRequests,
  plan: JobPlan | undefined,
): readonly string[] {
  const [first] = requests.filter(({ purpose }) => purpose === 'page');
  const submitted = requests.find(({ purpose }) => purpose === 'submit');
  return [
    calls,
    ...(submitted === undefined
      ? []
      : [`It submits ${submitted.method} ${submitted.url}, and asks until the result is there.`]),
    first === undefined
      ? `Its requests are not known before a run: ${unknown ?? ''}`
      : `Its first request is ${first.method} ${first.url}.`,
    paging,
    ...(plan === undefined ? [] : itemSentences(plan)),
    `Its items go to the table ${JSON.stringify(plan?.table ?? dataType)}.`,
  ];
}

function itemSentences({ items, incremental, shaping, total, concurrency }: JobPlan): readonly string[] {
  return [
    items.path === undefined
      ? 'Its items are the only list of a response.'
      : `Its items are at "${items.path}" of a response.`,
    ...(incremental === undefined
      ? []
      : [
          `It asks only for what is new, by the field "${incremental.field}", ${incremental.param === undefined ? 'in windows' : `with the parameter "${incremental.param}"`}.`,
        ]),
    ...(shaping === undefined ? [] : ['It makes something of its items before they are delivered.']),
    ...(total === undefined ? [] : ['It compares how many items came with the total of the API.']),
    ...(concurrency === 1 ? [] : [`Up to ${concurrency} of its calls run at once.`]),
  ];
}

const sinkSentences = (sinks: readonly string[]): readonly string[] =>
  sinks.length === 0
    ? [
        'No destination is configured: headwater run takes that of --to, or headwater.duckdb on a terminal, or prints the items.',
      ]
    : sinks.map((sink) => `It stores the items in ${sink}.`);
