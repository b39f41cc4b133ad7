import { FatalError, discoverImported, hintsIn, printable } from '../..';
import type { AskOptions, Discovery, DiscoveryFinding, Imported, ImportedDiscovery } from '../..';
import { askForMore, askLists } from './ask';
import { print } from '../output';

/** Which lists of an import are used, and how they are requested. */
export interface ImportedFlags {
  readonly job?: readonly string[];
  readonly param?: readonly string[];
  readonly guess: boolean;
  readonly maxRequests?: number;
}

/** Finds out how the lists of an import return their data. */
export async function discoverLists(
  imported: Imported,
  { job, param, guess, maxRequests }: ImportedFlags,
  more: {
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly isAsking: boolean;
  },
): Promise<ImportedDiscovery> {
  const { isAsking, ...rest } = more;
  const values = valuesOf(param);
  const jobs = job ?? (isAsking && imported.beginnings.length > 1 ? await askLists(imported, values) : undefined);
  return discoverImported(imported, {
    ...rest,
    ...requestOptions(isAsking),
    ...{ guess, values, proxies: process.env },
    ...(jobs === undefined ? {} : { jobs }),
    ...(maxRequests === undefined ? {} : { maxRequests }),
  });
}

/** Returns the options by which each request is printed as it is sent, and a person is asked for more than a few. */
export const requestOptions = (isAsking: boolean): Pick<AskOptions, 'mayExceed' | 'onRequest'> => ({
  onRequest: ({ number, method, url }) => {
    print(`  ${String(number).padStart(2)}  ${method} ${url}\n`);
  },
  ...(isAsking ? { mayExceed: askForMore } : {}),
});

/** Returns an announcement of the requests, without possible secrets. */
export function announced({ kind, title, beginnings }: Imported): string {
  const [first] = beginnings;
  const origin = first === undefined ? '' : new URL(first.request.url).origin;
  const lists = `${beginnings.length} ${beginnings.length === 1 ? 'list' : 'lists'}`;
  if (kind === 'har') return `Reading the recording of ${origin}: ${lists} …\n`;
  return `${printable(title)} describes ${lists}. Requesting ${origin} …\n`;
}

const NONE_SEEN =
  'No list was seen, so that a run will get nothing either. If the API is at another address than the description says, name it with --base-url; ' +
  'if it wants credentials, give them with --bearer, --user or --header.\n';

/** Returns the findings about each list, and what was left out, for the user. */
export function printedLists({ lists, warnings, requests }: ImportedDiscovery): string {
  const parts = lists.map(({ id, dataType, findings, unasked }) => {
    const why = unasked === undefined ? '' : `  UNSURE: this list was not seen. ${unasked}\n`;
    return `\n${dataType} (${printable(id)})\n${why}${printedFindings(findings)}\n`;
  });
  const left = warnings.length === 0 ? '' : `\nNot taken over:\n\n${warnings.map((each) => `  ${each}\n`).join('')}`;
  const sent = requests === 1 ? '1 request was' : `${requests} requests were`;
  const none = requests > 0 && lists.every(({ unasked }) => unasked !== undefined) ? NONE_SEEN : '';
  return `${parts.join('')}${left}\n${sent} sent.\n${none}`;
}

function valuesOf(lines: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      if (at < 1) throw new FatalError('CONFIG_INVALID', '--param has to be "NAME=VALUE".');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
}

const NAMES: Readonly<Record<DiscoveryFinding['about'], string>> = {
  data: 'Items',
  paging: 'Paging',
  credentials: 'Credentials',
  key: 'Key',
  incremental: 'Changes',
  format: 'Format',
};

/** Returns the findings and their confidence, for the user. */
const printedFindings = (findings: readonly DiscoveryFinding[]): string =>
  findings
    .map(({ about, value, confidence, reason }) =>
      [`  ${NAMES[about].padEnd(12)}${value} (${confidence})`, `  ${''.padEnd(12)}${hintsIn('yaml', reason)}`].join(
        '\n',
      ),
    )
    .join('\n');

/** Returns the findings about one address. */
export const printedDiscovery = ({ findings, requests }: Discovery): string =>
  `\nFound, by ${requests} ${requests === 1 ? 'request' : 'requests'}:\n\n${printedFindings(findings)}\n`;
