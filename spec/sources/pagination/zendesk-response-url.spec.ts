import type { Next } from '../../../src/language/parts/pagination/paginator';
import { zendeskResponseUrl } from '../../../src/sources/pagination/zendesk-response-url';
import { arrivalOf, jobFacts } from '../../support/pagination';

const NOW = Date.parse('2021-06-16T09:30:00Z') / 1000;
const LATEST = NOW - 360;
type Options = Parameters<typeof zendeskResponseUrl.paginator>[0];
const defaults: Options = {
  urlKey: 'next_page',
  paramIsQuery: false,
  includeParams: false,
  relativeTo: 'endpoint',
};
function nextAfter(next_page: string, options: Partial<Options> = {}): Next {
  const paginator = zendeskResponseUrl.paginator({ ...defaults, ...options }, jobFacts());
  return paginator.next(arrivalOf({ step: paginator.first, data: { next_page }, now: NOW }));
}

describe('language 5.8 zendesk.response.url', () => {
  it('goes on when start_time is six minutes ago', () => {
    expect(nextAfter(`/export?start_time=${LATEST}`).kind).toBe('step');
  });

  it('stops when start_time is less than six minutes ago', () => {
    expect(nextAfter(`/export?a=1&start_time=${LATEST + 1}`)).toEqual({
      kind: 'stop',
      isKnown: true,
      because: 'Next page start_time "2021-06-16 09:24:01" is too recent, skipping...',
    });
  });

  it('stops when start_time lies in the future', () => {
    expect(nextAfter(`/export?start_time=${NOW + 1000}`).kind).toBe('stop');
  });

  it('paramIsQuery: reads start_time in the query', () => {
    const options = { paramIsQuery: true };
    expect(nextAfter(`?start_time=${LATEST}`, options)).toMatchObject({
      step: { change: { received: `start_time=${LATEST}` } },
    });
    expect(nextAfter(`?start_time=${LATEST + 1}`, options).kind).toBe('stop');
  });

  it.each(['/export?start_time=', '/export?start_time=soon', '/export?restart_time=9999999999', '/export'])(
    'goes on with %s, which has no start_time in seconds',
    (address) => {
      expect(nextAfter(address).kind).toBe('step');
    },
  );

  it('of several start_time the last counts, as servers read them', () => {
    expect(nextAfter(`/export?start_time=1&start_time=${NOW}`).kind).toBe('stop');
    expect(nextAfter(`/export?start_time=${NOW}&start_time=1`).kind).toBe('step');
  });
});
