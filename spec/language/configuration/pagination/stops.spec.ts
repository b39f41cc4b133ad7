import { configuration, faults, run, warnings } from '../support';

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
