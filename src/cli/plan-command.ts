import { readConfiguration, requestsOf } from '../index';
import type { JobRequests, PlannedRequest, ReadConfiguration, RequestsOf } from '../index';
import { loadComponents } from './components';
import { sealOfEnvironment } from './encryption-key';
import { environmentOf } from './environment';
import { describe, EXIT, statusOf } from './exit-status';
import { jsonText } from './json-text';
import { labelled } from './labelled';
import { print } from './print';
import { readStateFile } from './state-file';
import { fitted, terminalWidth, visible } from './terminal';

export interface PlanFlags {
  readonly curl: boolean;
  readonly format: 'text' | 'json';
  readonly state?: string;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/** `headwater plan CONFIG`: the requests of a run on standard output; none is sent. Resolves to the exit status. */
export async function planCommand(path: string, flags: PlanFlags): Promise<number> {
  let read: ReadConfiguration | undefined;
  try {
    const { lenient, format, curl } = flags;
    const components = await loadComponents(flags.components);
    read = await readConfiguration(path);
    const state = flags.state === undefined ? {} : { state: await readStateFile(flags.state, sealOfEnvironment()) };
    const planned = requestsOf(read.configuration, {
      ...{ lenient, components, ...state },
      ...environmentOf(flags),
    });
    print(format === 'json' ? jsonText(planned) : curl ? curlText(planned) : planText(planned, terminalWidth()));
    return EXIT.success;
  } catch (failure) {
    const error = read?.located(failure) ?? failure;
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
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

/** A script: comments say what each command is, and which variables they need. */
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
