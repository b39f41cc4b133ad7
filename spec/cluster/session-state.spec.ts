import { sessionFrom } from '../../src/cluster/session-state';

const key = 'me';
const EMPTY = { logins: {}, tasks: {}, rates: {} };

describe('sessionFrom', () => {
  it('gives the task to log in to one process, and to another one when that is silent for ten seconds', () => {
    const session = sessionFrom(EMPTY);
    const ask = { key, after: 0 };
    expect(session.login(ask, 0)).toEqual({ generation: 1, isOwnTask: true });
    expect(session.login(ask, 9000)).toEqual({ isUnderWay: true });
    session.loginGoesOn({ key, generation: 1 }, 9000);
    expect(session.login(ask, 18_000)).toEqual({ isUnderWay: true });
    expect(session.login(ask, 19_000)).toEqual({ generation: 2, isOwnTask: true });
    session.loginFailed({ key, generation: 1 });
    expect(session.login(ask, 20_000)).toEqual({ isUnderWay: true });
    session.loginFailed({ key, generation: 2 });
    expect(session.login(ask, 20_000)).toEqual({ generation: 3, isOwnTask: true });
  });

  it('a late login replaces none, and says that the known one may be over', () => {
    const session = sessionFrom(EMPTY);
    session.login({ key, after: 0 }, 0);
    session.login({ key, after: 0 }, 10_000);
    const login = { generation: 2, sealed: 'second' };
    expect(session.loggedIn({ key, ...login })).toEqual(login);
    const isBehind = (): readonly boolean[] => [1, 2].map((after) => session.isBehind({ key, after }, 20_000));
    expect(isBehind()).toEqual([true, false]);
    expect(session.loggedIn({ key, generation: 1, sealed: 'first' })).toMatchObject(login);
    expect(isBehind()).toEqual([true, true]);
    session.login({ key, after: 2 }, 20_000);
    session.loggedIn({ key, generation: 3, sealed: 'third' });
    expect(session.isBehind({ key, after: 3 }, 20_000)).toBe(false);
  });

  it('goes on as it was from its state', () => {
    const before = sessionFrom(EMPTY);
    before.login({ key, after: 0 }, 0);
    before.loggedIn({ key, generation: 1, sealed: 'first' });
    before.login({ key, after: 1 }, 0);
    const rate = { key: 'rate', requests: 10, seconds: 1, count: 5 };
    expect(before.take(rate, 1000)).toEqual({ from: 1000, everyMs: 100, count: 5 });
    before.pause({ key: 'other', until: 7000 });
    const after = sessionFrom(before.state());
    expect(after.login({ key, after: 1 }, 5000)).toEqual({ isUnderWay: true });
    expect(after.take(rate, 1000)).toMatchObject({ from: 1500 });
    expect(after.take({ ...rate, key: 'other' }, 1000)).toMatchObject({ from: 7000 });
    expect(after.state().logins).toEqual(before.state().logins);
  });
});
