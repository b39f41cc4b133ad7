import type { RunEvent } from '../../src/core/events';
import { createRepeatedWarnings, entryOf, logEvents } from '../../src/core/log';
import type { Warning } from '../../src/core/log';
import { aPage } from '../support/pages';

const job = { id: 'j', path: 'config.jobs[0]', endpoint: 'users', dataType: 'user' };
const request = { purpose: { kind: 'page', job: 'j' }, method: 'GET', url: 'https://api.example/users' } as const;

describe('entryOf', () => {
  it.each<[RunEvent, string, string]>([
    [{ type: 'run.started', jobs: 1, startedAt: 0 }, 'info', 'Run started: 1 job'],
    [{ type: 'job.started', job }, 'info', 'Job users started'],
    [{ type: 'request.sent', ...request }, 'debug', 'GET https://api.example/users'],
    [
      { type: 'response.received', ...request, status: 200, bytes: 12, milliseconds: 3.4 },
      'debug',
      '200 GET https://api.example/users (12 bytes, 3 ms)',
    ],
    [
      { type: 'response.cached', ...request, status: 200, bytes: 12 },
      'debug',
      '200 GET https://api.example/users (12 bytes, from the cache)',
    ],
    [
      { type: 'retry.scheduled', ...request, retry: 2, delayMilliseconds: 2000, because: 'status 503' },
      'info',
      'Http request failed, retrying in 2.0 seconds [2x]. GET https://api.example/users: status 503',
    ],
    [
      { type: 'request.held', ...request, waitedMilliseconds: 1500 },
      'debug',
      'Waited 1.5 seconds for a limit: GET https://api.example/users',
    ],
    [
      { type: 'requests.paused', until: '2021-06-16T10:00:00.000Z', because: 'status 429' },
      'info',
      'Requests wait until 2021-06-16T10:00:00.000Z: status 429',
    ],
    [{ type: 'credentials.renewed' }, 'info', 'Logged in'],
    [
      { type: 'credentials.renewed', expiresAt: '2021-06-16T10:00:00.000Z' },
      'info',
      'Logged in, until 2021-06-16T10:00:00.000Z',
    ],
    [{ type: 'pagination.stopped', iteration: 0, job, because: 'No more.', isWanted: false }, 'info', 'No more.'],
    [{ type: 'job.started', job: { ...job, placeholders: { id: '1' } } }, 'debug', 'Job users {"id":"1"} started'],
    [{ type: 'job.finished', job, pages: 2, items: 1 }, 'info', 'Job users finished: 1 item on 2 pages'],
    [
      { type: 'warning', code: 'NO_DATA', message: 'dataField a contains no data!', job },
      'warn',
      'dataField a contains no data!',
    ],
    [
      { type: 'run.finished', pages: 1, items: 5, outcome: 'stopped', jobs: [] },
      'info',
      'All jobs finished: 5 items on 1 page (stopped)',
    ],
  ])('%j', (event, level, message) => {
    expect(entryOf(event)).toMatchObject({ level, message });
  });
});

describe('logEvents', () => {
  it('hands level, message and fields to the log', () => {
    const entries: unknown[] = [];
    logEvents({ log: (...entry) => entries.push(entry) })({ type: 'job.finished', job, pages: 2, items: 1 });
    expect(entries).toEqual([
      [
        'info',
        'Job users finished: 1 item on 2 pages',
        { event: 'job.finished', job: 'j', path: 'config.jobs[0]', dataType: 'user', pages: 2, items: 1 },
      ],
    ]);
  });

  it('language 1.4: says nothing of the dataType of a page, which is not masked', () => {
    const entries: unknown[] = [];
    const page = aPage([{}], { job, index: 1 });
    logEvents({ log: (...entry) => entries.push(entry) })({ type: 'page.extracted', page });
    const fields = { event: 'page.extracted', path: 'config.jobs[0]', page: 1, items: 1 };
    expect(entries).toEqual([['debug', 'Page 2 of users: 1 item', fields]]);
  });
});

const levels = {
  id: 'a'.repeat(40),
  path: 'config.jobs[0].children[0]',
  endpoint: 'rivers/{id}/levels',
  dataType: 'levels',
};
const ignored = (id: number, more: Partial<Warning> = {}): Warning => ({
  ...{ type: 'warning', code: 'STATUS_IGNORED', run: 'r', job: { ...levels, placeholders: { id: String(id) } } },
  message: `Failed to get response of GET http://api/rivers/${id}/levels: the status 404 is ignored.`,
  ...more,
});
const FINISHED: RunEvent = { type: 'run.finished', run: 'r', pages: 1, items: 0, outcome: 'complete', jobs: [] };

type LogEntry = readonly [level: string, message: string, fields: unknown];
function loggedOf(events: readonly RunEvent[]): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  const receive = logEvents({ log: (level, message, fields) => entries.push([level, message, fields]) });
  events.forEach(receive);
  return entries;
}

describe('createRepeatedWarnings', () => {
  it('sums up by run, job, code and reason, and forgets a run that is over', () => {
    const repeated = createRepeatedWarnings();
    const other = { ...levels, path: 'config.jobs[1].children[0]', placeholders: { id: '1' } };
    const given = [
      ...[ignored(1), ignored(2), ignored(3, { code: 'BODY_IGNORED' }), ignored(4, { message: 'Another reason.' })],
      ...[ignored(5, { job: other }), ignored(6, { run: 's' }), ignored(7)],
    ];
    expect(given.map(repeated.isRepeated)).toEqual([false, true, false, false, false, false, true]);
    expect(repeated.sumsOf('r')).toEqual([{ first: ignored(1), count: 3 }]);
    expect(repeated.sumsOf('r')).toEqual([]);
    expect(repeated.isRepeated(ignored(8))).toBe(false);
  });

  it('never takes warnings of a whole job together, which differ', () => {
    const repeated = createRepeatedWarnings();
    const { type, code, message } = ignored(1);
    const ofRun: Warning = { type, code, message };
    for (const warning of [ofRun, ignored(1, { job: levels })])
      expect([warning, warning].map(repeated.isRepeated)).toEqual([false, false]);
  });

  it('holds few kinds, whatever an API writes into messages', () => {
    const repeated = createRepeatedWarnings();
    const words = Array.from({ length: 1000 }, (_, at) => 'x'.repeat(at + 1));
    for (const message of words) repeated.isRepeated(ignored(1, { message }));
    expect(repeated.sumsOf('r')).toEqual([{ first: ignored(1, { message: 'xxxxx' }), count: 996 }]);
  });
});

describe('the log of warnings that calls of a child job repeat', () => {
  it('has the first, and one entry with the number and an example at the end of the run', () => {
    const events = [...Array.from({ length: 5829 }, (_, at) => ignored(at + 1)), FINISHED];
    const shown = loggedOf(events).filter(([level]) => level !== 'debug');
    expect(shown.map(([level, message]) => `${level}: ${message}`)).toEqual([
      'warn: Failed to get response of GET http://api/rivers/1/levels: the status 404 is ignored. (More like this of the job are counted.)',
      'warn: levels: 5,828 more warnings like this, STATUS_IGNORED, the first (rivers/{id}/levels {"id":"1"}): ' +
        'Failed to get response of GET http://api/rivers/1/levels: the status 404 is ignored.',
      'info: All jobs finished: 0 items on 1 page (complete)',
    ]);
    expect(shown[1]?.[2]).toEqual({
      ...{ event: 'warning', run: 'r', code: 'STATUS_IGNORED', count: 5829 },
      ...{ job: 'levels', path: 'config.jobs[0].children[0]', dataType: 'levels' },
    });
  });

  it('has all of them at level debug', () => {
    const entries = loggedOf([ignored(1), ignored(2), ignored(3)]);
    expect(entries.map(([level]) => level)).toEqual(['warn', 'debug', 'debug']);
  });

  it.each<RunEvent>([
    { type: 'run.failed', run: 'r', pages: 0, items: 0, error: { name: 'FatalError', message: 'No.' } },
    { type: 'run.cancelled', run: 'r', pages: 0, items: 0 },
  ])('has the sum however the run ends: $type', (end) => {
    const entries = loggedOf([ignored(1), ignored(2), end]);
    expect(entries.map(([, message]) => message)[2]).toContain('levels: 1 more warning like this');
  });
});
