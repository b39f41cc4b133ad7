import nock from 'nock';

// To be loaded is to be active, in all specs that the process runs later as well: nock is active only while a spec needs it.
nock.restore();

/**
 * Lets the specs of a file answer requests by nock alone: the network is out of reach, and each spec fails unless all
 * that it announced was asked for. Call it at the top of a file or of a `describe`.
 *
 * @example
 * const api = useNock();
 * it('…', async () => { api('https://api.example').get('/items').reply(200, []); … });
 */
export function useNock(): typeof nock {
  beforeEach(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => {
    const outcome = { done: nock.isDone(), pending: nock.pendingMocks() };
    nock.cleanAll();
    expect(outcome).toEqual({ done: true, pending: [] });
  });
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });
  return nock;
}

export { nock };
