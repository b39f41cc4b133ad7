/** What the page knows, in streams; views only look at these. */
import type { Observable, ObservedValueOf } from 'rxjs';
import {
  BehaviorSubject,
  catchError,
  combineLatest,
  debounceTime,
  distinctUntilChanged,
  EMPTY,
  filter,
  finalize,
  map,
  of,
  scan,
  Subject,
  switchMap,
  takeUntil,
} from 'rxjs';
import { useEffect, useState } from 'preact/hooks';
import { checksOf } from './checks';
import { withEvents } from './history';
import type { History } from './history';
import type { Schema } from './schema';
import { call, Refused, reported$ } from './server';
import type { Begun, Beneath, Checked, Chosen, GivenCredential, JobPreview, Offer, Opened, Preview } from './server';
import { NOTHING_WRITTEN, writtenIn } from './written';
import type { Written, WrittenJob } from './written';
import { withoutMedia } from './without-media';

export type Tab = 'write' | 'preview' | 'run' | 'tables' | 'runs' | 'cluster';

export interface Notice {
  readonly kind: 'error' | 'done';
  readonly text: string;
}

/** A preview, and the text of which it is one. */
export interface Looked extends Preview {
  readonly text: string;
}

export const opened$ = new BehaviorSubject<Opened | undefined>(undefined);
export const text$ = new BehaviorSubject('');
export const written$ = new BehaviorSubject<Written>(NOTHING_WRITTEN);
/** What the parts say that the text names, as they were read last. */
const beneath$ = new BehaviorSubject<Beneath | undefined>(undefined);
export const saved$ = new BehaviorSubject('');
export const checked$ = new BehaviorSubject<Checked | undefined>(undefined);
export const preview$ = new BehaviorSubject<Looked | undefined>(undefined);
export const isPreviewing$ = new BehaviorSubject(false);
/** The key of the job that is looked at. */
export const chosenJob$ = new BehaviorSubject<string | undefined>(undefined);
/** A narrow page has one view at a time: it begins with the form. */
export const tab$ = new BehaviorSubject<Tab>(matchMedia('(max-width: 900px)').matches ? 'write' : 'preview');
export const notice$ = new BehaviorSubject<Notice | undefined>(undefined);
export const schema$ = new BehaviorSubject<Schema | undefined>(undefined);
/** What was found out of the API that the text began with. */
export const begun$ = new BehaviorSubject<Begun | undefined>(undefined);
export const isBeginning$ = new BehaviorSubject(false);
/** The person does not want to wait for a beginning any longer. */
export const stop$ = new Subject<void>();
/** The API that was asked wants credentials, or others. */
export const wantsCredentials$ = new BehaviorSubject(false);
/** What the document that was opened offers. */
export const offer$ = new BehaviorSubject<Offer | undefined>(undefined);
/** The run, and what it has reported; views that come later see all of it. */
export const history$ = new BehaviorSubject<History | undefined>(undefined);

/** Numbers of runs that are over, as they end: the tables may have changed. */
export const ended$ = history$.pipe(
  filter((history) => history !== undefined),
  map(({ reported: { run } }) => (run.endedAt === undefined ? 0 : run.number)),
  distinctUntilChanged(),
  scan((before, number) => Math.max(before, number), 0),
);

export const fail = (error: unknown): void =>
  notice$.next({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
export const say = (text: string): void => notice$.next({ kind: 'done', text });

/** The stream; its error becomes a notice. */
export const heeded = <T>(source: Observable<T>): Observable<T> =>
  source.pipe(
    catchError((error: unknown) => {
      fail(error);
      return EMPTY;
    }),
  );

/** The current value of a stream, in a view. */
export function useValue<T>(source: BehaviorSubject<T>): T {
  const [value, setValue] = useState<T>(source.value);
  useEffect(() => {
    const subscription = source.subscribe((next) => setValue(() => next));
    return () => subscription.unsubscribe();
  }, [source]);
  return value;
}

/** The preview of a job: by its place; behind a change of the text by its id, or else by what it asks for. */
export function previewOf(preview: Looked | undefined, job: WrittenJob | undefined): JobPreview | undefined {
  if (preview === undefined || job === undefined) return undefined;
  const { jobs } = preview;
  const inPlace = preview.text === text$.value ? jobs.find(({ path }) => path === job.path) : undefined;
  return inPlace ?? jobs.find(({ id }) => id === job.id) ?? jobs.find(({ endpoint }) => endpoint === job.endpoint);
}

export function save(): void {
  const opened = opened$.value;
  if (opened === undefined) return;
  const { version } = opened;
  heeded(call('save', { text: text$.value, ...(version === undefined ? {} : { version }) })).subscribe((saved) => {
    opened$.next({ ...opened, version: saved.version });
    saved$.next(saved.text);
    text$.next(saved.text);
    say(`${opened.name} is saved.`);
  });
}

export function look(): void {
  isPreviewing$.next(true);
  preview$.next(undefined);
  const text = text$.value;
  heeded(call('preview', { text }).pipe(finalize(() => isPreviewing$.next(false)))).subscribe((preview) =>
    preview$.next({ ...preview, text }),
  );
}

/** Writes a configuration for an address or a command line of curl, once it is known what that gives; or without asking. A description of an API is opened. */
export function beginFrom(source: string, asks: boolean, done: () => void, credential?: GivenCredential): void {
  const given = { source, asks, ...(credential === undefined ? {} : { credential }) };
  const asked = call('begin', given).pipe(
    catchError((error: unknown) => {
      wantsCredentials$.next(isRefusal(error));
      if (!isRefusal(error)) throw error;
      const why = credential === undefined ? 'It wants credentials.' : 'It refuses these credentials.';
      throw new Error(`The API answered with the status ${error.status}. ${why}`);
    }),
  );
  waited(asked).subscribe((begun) => {
    wantsCredentials$.next(false);
    if ('choices' in begun) {
      offer$.next(begun);
      return;
    }
    done();
    beginWith(begun);
    look();
  });
}

/** Reads a document: its lists are to be chosen from then. */
export function openDocument(source: Observable<string>): void {
  const offered = source.pipe(switchMap((text) => call('offer', { source: withoutMedia(text) })));
  waited(offered).subscribe((offer) => {
    notice$.next(undefined);
    offer$.next(offer);
  });
}

/** Writes a configuration for lists of a document. A recording answers for itself: the API is asked when the person wants to. */
export function beginFromLists(chosen: Chosen, kind: Offer['kind'], done: () => void): void {
  waited(call('choose', chosen)).subscribe((begun) => {
    done();
    beginWith(begun);
    if (kind !== 'har') look();
    else {
      preview$.next(undefined);
      say('Here is a beginning, from the recording alone. Preview asks the API.');
    }
  });
}

/** The page shows that it waits, until the person stops that. */
function waited<T>(source: Observable<T>): Observable<T> {
  isBeginning$.next(true);
  return heeded(source.pipe(takeUntil(stop$))).pipe(finalize(() => isBeginning$.next(false)));
}

const isRefusal = (error: unknown): error is Refused =>
  error instanceof Refused && (error.status === 401 || error.status === 403);

function beginWith(begun: Begun): void {
  begun$.next(begun);
  text$.next(begun.text);
  say('Here is a beginning. The preview shows what the API answers.');
  tab$.next('preview');
}

export function start(): void {
  heeded(call('run', { text: text$.value })).subscribe(() => notice$.next(undefined));
}

/** Loads what the page begins with, and checks the text as it changes. */
export function begin(): void {
  combineLatest([text$, opened$.pipe(map((opened) => opened?.language ?? 'json')), beneath$])
    .pipe(distinctUntilChanged((before, next) => before.every((each, at) => each === next[at])))
    .subscribe(([text, language, beneath]) => {
      const written = writtenIn(text, language, beneath);
      // While a line is being written, the text is seldom readable: the jobs of before are shown.
      if (written.value !== undefined || text.trim() === '') written$.next(written);
    });
  heeded(call('open', {})).subscribe((opened) => {
    opened$.next(opened);
    saved$.next(opened.text);
    text$.next(opened.text);
  });
  heeded(call('schema', {})).subscribe((schema) => schema$.next(schema));
  const isPartly = (): boolean => written$.value.hasParts;
  text$
    .pipe(
      filter(() => opened$.value !== undefined),
      debounceTime(300),
      switchMap((text) => (text.trim() === '' ? of(undefined) : heeded(checksOf(text, isPartly)))),
    )
    .subscribe((checked) => {
      if (checked?.beneath !== undefined) beneath$.next(checked.beneath ?? undefined);
      checked$.next(checked);
    });
  const histories$ = reported$.pipe(
    scan<ObservedValueOf<typeof reported$>, History | undefined>(
      (before, { reported, isFirst }) => withEvents(isFirst ? undefined : before, reported),
      undefined,
    ),
  );
  histories$.subscribe({ next: (history) => history$.next(history), error: fail });
}
