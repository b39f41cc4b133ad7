import { followed, HARMLESS, refused } from '../fault';
import type { FaultGroup, Moment } from '../fault';
import { whole } from '../support/wire';
import type { Wire } from '../support/raw-server';

const to = (location: string, status = 302): Wire => whole('', [['Location', location]], status);
const isMoved = ({ request }: Moment): boolean => request.target.startsWith('/moved');

/** Redirects as often as that, then answers. */
const hops =
  (count: number) =>
  (moment: Moment): Wire => {
    const hop = isMoved(moment) ? Number(moment.request.target.slice('/moved/'.length)) : 0;
    return hop < count ? to(`/moved/${hop + 1}`) : whole(moment.body);
  };

/** Redirects once; the request that follows must have this method, where the first one was a POST. */
const moved =
  (status: number, method: string) =>
  (moment: Moment): Wire => {
    if (!isMoved(moment)) return to('/moved/here', status);
    const { request } = moment;
    const expected = request.headers['content-type'] === undefined ? 'GET' : method;
    const hasBody = request.body !== '';
    const isRight = request.method === expected && hasBody === (expected === 'POST');
    return isRight ? whole(moment.body) : whole('The method of the redirected request is wrong.', [], 405);
  };

export const redirects: FaultGroup = {
  title: 'Redirects',
  pagings: 'one',
  intro:
    'At most five redirects are followed, and never to another host that the configuration does not name. The login of these specs is a POST.',
  faults: [
    { does: 'redirects to itself', wire: ({ request }) => to(request.target), page: followed('TOO_MANY_REDIRECTS') },
    { does: 'redirects five times', wire: hops(5), page: HARMLESS },
    { does: 'redirects six times', wire: hops(6), page: refused('TOO_MANY_REDIRECTS') },
    {
      does: 'redirects to another host',
      wire: () => to('http://elsewhere.invalid/items'),
      page: refused('ORIGIN_REFUSED'),
    },
    {
      does: 'redirects to another port',
      wire: ({ port }) => to(`http://localhost:${port + 1}/items`),
      page: refused('ORIGIN_REFUSED'),
    },
    {
      does: 'redirects to another host, without a scheme',
      wire: () => to('//elsewhere.invalid/items'),
      page: refused('ORIGIN_REFUSED'),
    },
    {
      does: 'redirects to another host, with tabs and backslashes',
      wire: () => to('\\\\elsewhere\t.invalid/items'),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'redirects to a user name that looks like the host',
      wire: () => to('http://localhost@elsewhere.invalid/'),
      page: refused('ORIGIN_REFUSED'),
    },
    {
      does: 'redirects to a script, a file or data',
      wire: () => to('javascript:alert(1)'),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'redirects to a relative address',
      wire: (moment) => (isMoved(moment) ? whole(moment.body) : to('moved/here')),
      page: HARMLESS,
    },
    { does: 'redirects to what is no address', wire: () => to('http://'), page: refused('NETWORK_PROTOCOL') },
    {
      does: 'redirects to an empty address, which is its own',
      wire: () => to(''),
      page: followed('TOO_MANY_REDIRECTS'),
    },
    {
      does: 'redirects without a Location',
      wire: () => whole('', [], 302),
      page: refused('API_STATUS'),
    },
    { does: 'redirects with 301: the method becomes GET', wire: moved(301, 'GET'), page: HARMLESS },
    { does: 'redirects with 302: the method becomes GET', wire: moved(302, 'GET'), page: HARMLESS },
    { does: 'redirects with 303: the method becomes GET', wire: moved(303, 'GET'), page: HARMLESS },
    { does: 'redirects with 307: method and body stay', wire: moved(307, 'POST'), page: HARMLESS },
    { does: 'redirects with 308: method and body stay', wire: moved(308, 'POST'), page: HARMLESS },
  ],
};
