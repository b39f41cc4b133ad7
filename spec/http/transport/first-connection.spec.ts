import { FirstConnections } from '../../../src/http/transport/first-connection';

const ORIGIN = 'https://api.example';

describe('FirstConnections', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());

  it('the time of each run is its own: a later one does not give up for what was the matter before', () => {
    const connections = new FirstConnections(20_000);
    const first = connections.ofRun();
    first.begin(ORIGIN);
    jest.setSystemTime(60_000);
    expect(connections.left(ORIGIN)).toBe(1);
    connections.leave(first);
    expect(connections.left(ORIGIN)).toBeUndefined();
    const second = connections.ofRun();
    second.begin(ORIGIN);
    expect(second.left(ORIGIN)).toBe(20_000);
    expect(connections.left(ORIGIN)).toBe(20_000);
  });

  it('the run that has the most time left counts, and not one that has asked for nothing', () => {
    const connections = new FirstConnections(20_000);
    const [early, late] = [connections.ofRun(), connections.ofRun()];
    connections.ofRun();
    early.begin(ORIGIN);
    jest.setSystemTime(5_000);
    late.begin(ORIGIN);
    jest.setSystemTime(6_000);
    expect(early.left(ORIGIN)).toBe(14_000);
    expect(connections.left(ORIGIN)).toBe(19_000);
  });

  it('a host that one run has reached is reached for all', () => {
    const connections = new FirstConnections(20_000);
    const [one, other] = [connections.ofRun(), connections.ofRun()];
    for (const run of [one, other]) run.begin(ORIGIN);
    one.reach(ORIGIN);
    expect(other.left(ORIGIN)).toBeUndefined();
    expect(connections.left(ORIGIN)).toBeUndefined();
    const later = connections.ofRun();
    later.begin(ORIGIN);
    expect(later.left(ORIGIN)).toBeUndefined();
  });
});
