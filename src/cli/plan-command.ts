import { requestsOf } from '..';
import type { JobRequests, PlannedRequest, RequestsOf } from '..';
import { lookAtEach, environmentOf, nameIn } from './configurations';
import type { OneConfiguration } from './configurations';
import { stateFor } from './airbyte';
import { EXIT } from './exit-status';
import { labelled, print, printJson, printUnder, fitted, terminalWidth, visible } from './output';

export interface PlanFlags {
  readonly curl: boolean;
  readonly format: 'text' | 'json';
  readonly state?: string;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly config?: string;
  readonly stream?: readonly string[];
}

/** `headwater plan CONFIG…`: prints the requests of runs without sending them. Resolves to the worst exit status. */
export async function planCommand(paths: readonly string[], flags: PlanFlags): Promise<number> {
  const { components, state } = flags;
  return lookAtEach(paths, { components, manifest: flags, own: { '--state': state } }, (configuration) =>
    planOne(configuration, flags),
  );
}

async function planOne({ path, read, components, label, name }: OneConfiguration, flags: PlanFlags): Promise<number> {
  const { lenient, format, curl } = flags;
  const file = flags.state === undefined ? undefined : nameIn(flags.state, path);
  const state = file === undefined ? {} : { state: await stateFor(read, file) };
  const planned = requestsOf(read.configuration, {
    ...{ lenient, components, unset: 'stand in', ...state },
    ...environmentOf(flags),
  });
  warnOfMissingSecrets(planned, label);
  if (format === 'json') printJson(name, planned);
  else if (curl) print(name === undefined ? curlText(planned) : `${comment(name)}\n\n${curlText(planned)}\n`);
  else printUnder(name, planText(planned, terminalWidth()));
  return EXIT.success;
}

/** Warns about variables that are not set, which a run needs. */
export function warnOfMissingSecrets({ unset }: Pick<RequestsOf, 'unset'>, label: string): void {
  for (const { path, message } of unset) process.stderr.write(`${label}warning: ${path}: ${message}\n`);
}

function planText({ jobs, logins, iterations }: RequestsOf, width: number): string {
  const paragraphs = [
    ...(logins.length === 0
      ? []
      : [['Login, before the first request', ...logins.flatMap((each) => requestLines(each, width))]]),
    ...jobs.map((job) => [
      fitted(visible(`${job.endpoint}  (${job.path})`), width),
      ...labelled('calls', job.calls, width),
      ...job.requests.flatMap((each) => requestLines(each, width)),
      ...(job.unknown === undefined ? [] : labelled('unknown', job.unknown, width)),
      ...labelled('paging', job.paging, width),
    ]),
    ...(iterations > 1 ? [[`This is the first of ${iterations} iterations.`]] : []),
  ];
  return paragraphs.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}

function requestLines({ purpose, method, url, headers, body }: PlannedRequest, width: number): readonly string[] {
  return [
    ...labelled(purpose, `${method} ${url}`, width),
    ...Object.entries(headers).map(([name, value]) => fitted(visible(`             ${name}: ${value}`), width)),
    ...(body === undefined ? [] : [fitted(visible(`             ${body}`), width)]),
  ];
}

/** Returns a shell script, with comments about its commands and the variables they need. */
function curlText({ jobs, logins, variables }: RequestsOf): string {
  const needs =
    variables.length === 0
      ? []
      : ['# Set these first:', ...variables.map(({ name, about }) => comment(`${name}: ${about}`)), ''];
  const commands = [
    ...logins.flatMap(({ curl }) => ['# Login', curl, '']),
    ...jobs.flatMap((job) => [
      comment(titleOf(job)),
      ...job.requests.flatMap(({ purpose, curl }) => [...(purpose === 'page' ? [] : [comment(purpose)]), curl, '']),
    ]),
  ];
  return [...needs, ...commands]
    .map((line) => `${line}\n`)
    .join('')
    .replace(/\n+$/, '\n');
}

/** A line break would end the comment. */
const comment = (text: string): string => `# ${visible(text)}`;

const titleOf = ({ endpoint, path, calls, unknown }: JobRequests): string =>
  `${endpoint} (${path}). ${calls}${unknown === undefined ? '' : ` Unknown: ${unknown}`}`;
