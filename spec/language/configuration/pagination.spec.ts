import { none } from '../../../src/language/parts/pagination/pagination';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { configuration, faults, run, warnings, withJob } from './support';

describe('stops', () => {
  const stopsOf = (stops: Record<string, unknown>) => run(configuration({ pagination: stops })).api.pagination.stops;
  const faultsIn = (stops: Record<string, unknown>) => faults(configuration({ pagination: stops }));

  describe('common stops', () => {
    it('language 5.2: stand beside any method, also none', () => {
      const stops = {
        limitStop: { count: '10' },
        forceStop: { pages: '2' },
        nextPageFlag: { field: 'more', stopOn: false },
      };
      expect(stopsOf({ method: 'pagenum', ...stops })).toEqual(stopsOf(stops));
      expect(stopsOf(stops)).toEqual({
        limitStop: { count: 10 },
        forceStop: { pages: 2 },
        nextPageFlag: { field: 'more', stopOn: false, ifNotSet: false },
      });
      expect(warnings(configuration({ pagination: { method: 'pagenum', ...stops } }))).toEqual([]);
    });

    it('language 5.2: limitStop has exactly one of count, field and header', () => {
      expect(stopsOf({ limitStop: { field: 'meta.total', count: '' } })).toEqual({ limitStop: { path: 'meta.total' } });
      expect(stopsOf({ limitStop: { header: 'X-Total' } })).toEqual({ limitStop: { header: 'x-total' } });
      expect(faultsIn({ limitStop: { other: 1 } })).toEqual([
        'api.pagination.limitStop: required: one of "count", "field" and "header"',
      ]);
      expect(faultsIn({ limitStop: { count: 1, field: 'f' } })).toEqual([
        'api.pagination.limitStop: both "count" and "field" are given: write only one of them',
      ]);
      expect(faultsIn({ limitStop: { field: 'f', header: 'h' } })).toEqual([
        'api.pagination.limitStop: both "field" and "header" are given: write only one of them',
      ]);
      expect(faultsIn({ limitStop: { count: 'many' } })).toEqual([
        'api.pagination.limitStop.count: expected a number, found a string of 4 characters',
      ]);
    });

    it('stopWhenEmpty is true or false', () => {
      expect(stopsOf({ stopWhenEmpty: true })).toEqual({ stopWhenEmpty: true });
      expect(stopsOf({ stopWhenEmpty: false })).toEqual({});
      expect(faultsIn({ stopWhenEmpty: 'no' })).toEqual([
        'api.pagination.stopWhenEmpty: expected true or false, found a string of 2 characters',
      ]);
    });

    it('language 5.2: forceStop takes numbers, numeric strings, and relative text for time', () => {
      expect(stopsOf({ forceStop: { pages: 1, time: '1 hour', volume: '2000' } })).toEqual({
        forceStop: { pages: 1, time: '1 hour', volume: 2000 },
      });
      expect(stopsOf({ forceStop: { time: '60' } })).toEqual({ forceStop: { time: 60 } });
      expect(faultsIn({ forceStop: { pages: 'two', time: [1], volume: true } })).toEqual([
        'api.pagination.forceStop.pages: expected a number, found a string of 3 characters',
        'api.pagination.forceStop.time: expected seconds or a string such as "1 hour", found an array',
        'api.pagination.forceStop.volume: expected a number, found true',
      ]);
    });

    it('language 5.2: nextPageFlag needs field and a boolean stopOn; ifNotSet defaults to stopOn', () => {
      expect(stopsOf({ nextPageFlag: { field: 'last', stopOn: true } })).toEqual({
        nextPageFlag: { field: 'last', stopOn: true, ifNotSet: true },
      });
      expect(stopsOf({ nextPageFlag: { field: 'last', stopOn: true, ifNotSet: false } })).toMatchObject({
        nextPageFlag: { ifNotSet: false },
      });
      expect(faultsIn({ nextPageFlag: { ifNotSet: 1 } })).toEqual([
        'api.pagination.nextPageFlag.ifNotSet: expected true or false, found 1',
        'api.pagination.nextPageFlag.field: required: the key of the response that says whether there is a next page',
        'api.pagination.nextPageFlag.stopOn: required: true or false; pagination stops when the field has this value',
      ]);
      expect(faultsIn({ nextPageFlag: { field: 'f', stopOn: 'true' } })).toEqual([
        'api.pagination.nextPageFlag.stopOn: expected true or false, found a string of 4 characters',
      ]);
    });

    it.each([3, '12'])('language 5.2: the old key pages %j has no effect', (pages) => {
      expect(warnings(configuration({ pagination: { pages } }))).toEqual([
        'api.pagination.pages: has no effect: an old key; to stop after some pages use forceStop.pages',
      ]);
    });

    it.each(['2.5', '-1', 'two', [2]])('language 5.2: the old key pages cannot be %j', (pages) => {
      expect(faultsIn({ pages })[0]).toMatch(/^api\.pagination\.pages: expected an integer, found /);
    });

    it('language 9: faults of the method and of the stops are reported together', () => {
      expect(faultsIn({ method: 'offset', limitStop: { a: 1 }, pages: 'x' })).toHaveLength(3);
    });
  });
});

describe('codec', () => {
  const METHODS = [...BUILT_IN.pagination.keys()].join(', ');
  const paginationOf = (pagination: unknown) => run(configuration({ pagination })).api.pagination;
  const faultsIn = (pagination: unknown) => faults(configuration({ pagination }));
  const warningsIn = (pagination: unknown) => warnings(configuration({ pagination }));

  describe('api.pagination', () => {
    it.each([undefined, null, {}, [], { method: '' }])('language 5: %j means one request a job', (pagination) => {
      expect(paginationOf(pagination)).toEqual({ kind: 'one', pagination: none, stops: {} });
    });

    it.each([
      ['ofset', 'offset'],
      ['pagenumber', 'pagenum'],
      ['page_number', 'pagenum'],
      ['response.url.next', 'response.url'],
    ])('language 5: refuses an unknown method %s, with the likely meant one', (method, meant) => {
      expect(faultsIn({ method })).toEqual([
        `api.pagination.method: expected one of ${METHODS}, multiple, found "${method}"; did you mean "${meant}"?`,
      ]);
    });

    it('language 5: is an object', () => {
      expect(faultsIn('offset')).toEqual(['api.pagination: expected an object, found a string of 6 characters']);
    });

    it('language 1.2: warns about misspelled options and options of other methods', () => {
      expect(warningsIn({ method: 'pagenum', limt: 5, offsetFromJob: true, scrollers: {}, limitstop: {} })).toEqual([
        'api.pagination.limt: has no effect: unknown key; did you mean "limit"?',
        'api.pagination.offsetFromJob: has no effect with method pagenum: it is an option of offset',
        'api.pagination.scrollers: has no effect with method pagenum: it is an option of method multiple',
        'api.pagination.limitstop: has no effect: unknown key; did you mean "limitStop"?',
      ]);
      expect(warningsIn({ limit: 5 })).toEqual([
        'api.pagination.limit: has no effect with no pagination method: it is an option of keyset, offset, pagenum',
      ]);
    });
  });

  describe('method multiple', () => {
    const multiple = (more: Record<string, unknown> = {}) => ({
      method: 'multiple',
      scrollers: { plain: { method: 'offset', limit: 50 }, feed: { method: 'cursor', idKey: 'seq', param: 'after' } },
      ...more,
    });

    it('language 5.9: decodes each scroller with its own stops', () => {
      expect(paginationOf({ ...multiple({ default: 'plain' }), forceStop: { pages: 3 } })).toMatchObject({
        kind: 'multiple',
        default: 'plain',
        scrollers: {
          plain: { pagination: { method: 'offset', options: { limit: 50 } }, stops: {} },
          feed: { pagination: { method: 'cursor', options: { increment: 0 } } },
        },
        stops: { forceStop: { pages: 3 } },
      });
    });

    it('language 5.9: needs a scroller, and objects as scrollers', () => {
      expect(faultsIn({ method: 'multiple' })).toEqual(['api.pagination.scrollers: required: at least one scroller']);
      expect(faultsIn({ method: 'multiple', scrollers: { a: 'offset', b: null } })).toEqual([
        'api.pagination.scrollers.a: expected an object, found a string of 6 characters',
        'api.pagination.scrollers.b: expected an object, found null',
      ]);
    });

    it('language 5.9: the default must be one of the scrollers', () => {
      expect(faultsIn(multiple({ default: 'plan' }))).toEqual([
        'api.pagination.default: expected one of plain, feed, found "plan"; did you mean "plain"?',
      ]);
    });

    it('language 5.9: faults of scrollers and of the default are reported together', () => {
      expect(
        faultsIn({ method: 'multiple', default: 'b', scrollers: { a: { method: 'offset' }, c: { method: 'x' } } }),
      ).toEqual([
        'api.pagination.default: expected one of a, c, found a string of 1 character',
        'api.pagination.scrollers.a.limit: required: the page size; offset pagination counts with it',
        `api.pagination.scrollers.c.method: expected one of ${METHODS}, found a string of 1 character`,
      ]);
    });

    it('language 5.9: a scroller cannot be multiple again', () => {
      expect(faultsIn({ method: 'multiple', scrollers: { a: multiple() } })[0]).toBe(
        `api.pagination.scrollers.a.method: expected one of ${METHODS}, found a string of 8 characters`,
      );
    });

    it('language 5.9: a job or child must name a scroller that exists', () => {
      const input = withJob(
        { scroller: 'feed', children: [{ endpoint: 'x/{id}', placeholders: { id: 'id' }, scroller: 'plian' }] },
        { pagination: multiple() },
      );
      expect(faults(input)).toEqual([
        'config.jobs[0].children[0].scroller: expected one of plain, feed, found "plian"; did you mean "plain"?',
      ]);
    });

    it('language 5.9: scroller has no meaning with other methods', () => {
      expect(warnings(withJob({ scroller: 'feed' }, { pagination: { method: 'pagenum' } }))).toEqual([
        'config.jobs[0].scroller: has no effect: api.pagination.method is not multiple',
      ]);
    });

    it('language 0.3: a scroller may have any name', () => {
      const scrollers = JSON.parse('{"__proto__": {"method": "pagenum"}}') as unknown;
      const pagination = paginationOf({ method: 'multiple', scrollers });
      expect(pagination.kind === 'multiple' && Object.keys(pagination.scrollers)).toEqual(['__proto__']);
    });
  });
});
