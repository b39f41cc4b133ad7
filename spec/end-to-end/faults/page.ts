/** docs/reliability.md, made from the tables that the specs are made from. */
import { PLACES, verdictAt } from './fault';
import type { Fault, FaultGroup, Place, Verdict } from './fault';
import { MATRIX } from './matrix';
import { RETRY_AFTER } from './matrix/retry-after';
import type { Asked } from './matrix/retry-after';
import { RETRIED_STATUSES } from './matrix/statuses';
import { STORIES } from './stories';
import type { Ending, StoryGroup } from './story';
import { MIDDLE, PAGE_SIZE, PAGINGS, TOTAL } from './support/healthy-api';

const INTRO = `# Reliability

What a run makes of a server that fails, misbehaves or lies. This page is written by \`npm run docs:reliability\` from the tables
in [spec/end-to-end/faults](../spec/end-to-end/faults), and the same tables are the specs: each row is run against a server that sends those very
bytes, over a real socket.

Each row keeps one rule. **Every item that the server had arrives exactly once, or the run ends with an error that has a code, and
with exit status 1.** A run never ends with exit status 0 and fewer items, unless the specification says that such an answer
ends pagination; never with status 2, which means a defect of the program; and it never hangs. What was read before an error is
kept where a destination keeps pages, and \`--resume\` goes on from there.

## How to read the tables

An API of ${TOTAL} items in pages of ${PAGE_SIZE} misbehaves at one place: with the first page, in the middle of pagination (the page number
${MIDDLE + 1}; by ${Object.keys(PAGINGS).join(', by ')}), or with the login. Each fault happens once in one run, and for ever in another.

| cell                | the fault happens once                              | it never ends                                                    |
| ------------------- | --------------------------------------------------- | ---------------------------------------------------------------- |
| all items           | every item arrives                                  | every item arrives                                               |
| retried, \`CODE\`     | the request is sent again, and every item arrives   | after \`retryConfig.maxRetries\` retries the run ends with the error |
| \`CODE\`              | the run ends with the error at once                 | the same                                                         |
| followed, \`CODE\`    | every item arrives                                  | the run ends with the error                                      |
| pagination ends         | the job ends with the items so far, as specified    | the same                                                         |

The codes are explained in [library.md](library.md#errors).
`;

const LIMITS = `## What no client can see

- An API that treats the bearer of a dead token as a guest, and answers 200 with an empty list, looks like one that has no more
  items. Headwater renews credentials before they die; where an API does not say when that is, nothing can be done.
- A body without any length that is closed early is whole as far as HTTP can tell. JSON shows the cut; a line of CSV or JSON
  lines that is cut at its end does not, and a warning says so. Servers that name a length, or send chunks, are safe.
- A second answer that nobody asked for, and that arrives when the next request is under way, is taken for the answer to it.
  Only broken servers and proxies do that.
- An API that leaves items out, or changes their order between two pages, cannot be found out unless it says a total.
`;

const CELLS: { readonly [K in Verdict['kind']]: (verdict: Extract<Verdict, { readonly kind: K }>) => string } = {
  harmless: ({ mayRepeat }) => (mayRepeat ? 'all items, perhaps after a retry' : 'all items'),
  retried: ({ code }) => `retried, \`${code}\``,
  followed: ({ code }) => `followed, \`${code}\``,
  refused: ({ code }) => `\`${code}\``,
  doubtful: ({ code }) => `pagination ends, doubtful: \`${code}\``,
  ends: () => 'pagination ends',
};
const cellOf = (verdict: Verdict): string => CELLS[verdict.kind](verdict as never);

const HEADS: Readonly<Record<Place, string>> = { first: 'first page', middle: 'middle', login: 'login' };
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function matrixOf({ title, intro, faults }: FaultGroup): string {
  const rows = faults.map((fault) => [fault.does, ...PLACES.map((place) => placeCell(fault, place))]);
  return section(title, intro, table(['the server', ...PLACES.map((place) => HEADS[place])], joined(rows)));
}

const placeCell = (fault: Fault, place: Place): string =>
  (fault.places ?? PLACES).includes(place) ? cellOf(verdictAt(fault, place)) : '–';

const ANSWERS = 'answers ';

/** Statuses with the same outcome become one row. */
function joined(rows: readonly (readonly string[])[]): string[][] {
  const together = new Map<string, string[]>();
  for (const [does = '', ...cells] of rows) {
    const isStatus = /^answers \d+$/.test(does);
    const key = isStatus ? cells.join('|') : does;
    const known = together.get(key);
    if (known === undefined) together.set(key, [does, ...cells]);
    else known[0] = `${known[0] ?? ''}, ${does.slice(ANSWERS.length)}`;
  }
  return [...together.values()];
}

const ASKED: { readonly [K in Asked['kind']]: (asked: Extract<Asked, { readonly kind: K }>) => string } = {
  delay: ({ seconds }) => (seconds === 0 ? 'at once' : `after ${seconds} s`),
  own: () => 'after the delay of its own: 1, 2, 4, … s',
  'too-long': () => '`API_STATUS`: the API asks for more patience than `maxDelay` allows',
};

function retryAfter(): string {
  const rows = RETRY_AFTER.map(({ says, asks }) => [says, ASKED[asks.kind](asks as never)]);
  const intro =
    `The statuses ${RETRIED_STATUSES.join(', ')} are retried, and \`Retry-After\` says when. With any other status the header means ` +
    'nothing. Every status is tried with every form. Delays of its own are cut by up to a quarter, by chance, so that many ' +
    'clients do not come back together.';
  return section('Retry-After', intro, table(['the header', 'the next attempt'], rows));
}

const ends = (ending: Ending): string => {
  if (ending.kind === 'complete') return ending.mostRetries === 0 ? 'all items' : 'all items, after retries';
  const codes = ending.codes.map((code) => `\`${code}\``).join(' or ') || 'an error';
  return ending.before === 0 ? codes : `${codes}, after ${ending.before} items`;
};

const storiesOf = ({ title, intro, stories }: StoryGroup): string =>
  section(
    title,
    intro,
    table(
      ['what happens', 'the run ends with'],
      stories.map((story) => [story.summary, ends(story.ends)]),
    ),
  );

const section = (title: string, intro: string, content: string): string => `## ${title}\n\n${intro}\n\n${content}\n`;

/** The whole page, not yet formatted. */
export const reliabilityPage = (): string =>
  [INTRO, ...MATRIX.map(matrixOf), retryAfter(), ...STORIES.map(storiesOf), LIMITS].join('\n');
