import type { RunEvent } from '../../src/core/events';
import { entryOf, logEvents } from '../../src/core/log';
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
