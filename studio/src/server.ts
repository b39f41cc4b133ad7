/** Calls of the server, and what it tells of a run. Shapes are those of the server: types only, no code of it comes along. */
import {
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  fromEvent,
  map,
  repeat,
  retry,
  startWith,
  switchMap,
  timer,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { fromFetch } from 'rxjs/fetch';
import type { Preview } from '../../src/explore/probe/model';
import type { Beneath, Begun, ClusterRunLine, ClusterRunNow, GivenCredential } from '../../src/studio/wire';
import type { Offer, Rows, TableFacts, StudioEvents } from '../../src/studio/wire';

export type { JobPreview, PagePreview, Preview } from '../../src/explore/probe/model';
export type {
  Beneath,
  Begun,
  Choice,
  ClusterRunLine,
  ClusterRunNow,
  FoundList,
  GivenCredential,
  JobLine,
  Offer,
  PartPlace,
  Rows,
  TableFacts,
  StudioEvents,
  WorkerPart,
} from '../../src/studio/wire';

/** What is wrong at a place of the configuration. */
export interface Fault {
  readonly path: string;
  readonly message: string;
  /** The file, where that is a part. */
  readonly part?: string;
}

export interface Checked {
  readonly jobs: number;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  /** What the parts say together; `null`: they cannot be read; absent: nobody knows which ones there are. */
  readonly beneath?: Beneath | null;
}

export interface Opened {
  readonly text: string;
  readonly version?: string;
  readonly name: string;
  readonly language: 'json' | 'yaml';
  readonly database: string;
  /** The address of a cluster whose runs are shown; absent: none is. */
  readonly cluster?: string;
}

/** What is chosen of an offer, and what the document does not say: values by name, secrets by variable. */
export interface Chosen {
  readonly offer: number;
  readonly choices: readonly number[];
  readonly baseUrl?: string;
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A call, by name: what it takes and what it gives. */
interface Calls {
  readonly open: [object, Opened];
  readonly begin: [
    { readonly source: string; readonly asks?: boolean; readonly credential?: GivenCredential },
    Begun | Offer,
  ];
  readonly offer: [{ readonly source: string }, Offer];
  readonly choose: [Chosen, Begun];
  readonly save: [
    { readonly text: string; readonly version?: string },
    { readonly text: string; readonly version: string },
  ];
  readonly check: [{ readonly text: string }, Checked];
  readonly preview: [{ readonly text: string; readonly jobs?: readonly string[] }, Preview];
  readonly run: [{ readonly text: string }, object];
  readonly tune: [Readonly<Record<string, unknown>>, object];
  readonly cancel: [object, object];
  readonly schema: [object, object];
  readonly tables: [object, readonly TableFacts[]];
  readonly profile: [{ readonly schema: string; readonly table: string }, Rows];
  readonly query: [{ readonly sql: string }, Rows];
  readonly runs: [object, Rows];
  readonly clusterRuns: [object, readonly ClusterRunLine[]];
  readonly clusterRun: [{ readonly run: string }, ClusterRunNow];
}

/** What the server refused; the message is for the person. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly code: string,
    message: string,
    readonly faults: readonly Fault[] = [],
    /** Of the response of an API. */
    readonly status?: number,
  ) {
    super(message);
  }
}

const KEY = 'headwater-studio';

/** The token came behind `#`. It is kept for this tab alone, and leaves the address, which others may read. */
function takeToken(): string {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? '';
}

const token = takeToken();

const requestOf = (given: object): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify(given),
});

/** @example call('tables', {}).subscribe((tables) => console.log(tables)) */
export const call = <N extends keyof Calls>(name: N, given: Calls[N][0]): Observable<Calls[N][1]> =>
  fromFetch(`/api/${name}`, {
    ...requestOf(given),
    selector: async (response) => {
      const answer = (await response.json()) as unknown;
      if (!response.ok) throw refusedBy(answer);
      return answer as Calls[N][1];
    },
  });

function refusedBy(answer: unknown): Refused {
  const { error } = answer as {
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly faults?: readonly Fault[];
      readonly status?: number;
    };
  };
  return new Refused(error.code, error.message, error.faults, error.status);
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (!response.ok || response.body === null) throw refusedBy(await response.json());
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

/** What runs do, about ten times a second. The first telling of a connection has all of the run that is kept. */
const telling$: Observable<{ readonly reported: StudioEvents; readonly isFirst: boolean }> = defer(() =>
  fromFetch('/api/events', { ...requestOf({}), selector: linesOf }),
).pipe(
  filter((line) => line !== ''),
  map((line, at) => ({ reported: JSON.parse(line) as StudioEvents, isFirst: at === 0 })),
);

/** After an interruption it begins again. A page that nobody sees needs none: a browser has few connections for all of its tabs. */
export const reported$: typeof telling$ = fromEvent(document, 'visibilitychange').pipe(
  startWith(undefined),
  map(() => document.visibilityState !== 'hidden'),
  distinctUntilChanged(),
  switchMap((isSeen) =>
    isSeen ? telling$.pipe(repeat({ delay: 1_000 }), retry({ delay: () => timer(2_000) })) : EMPTY,
  ),
);
