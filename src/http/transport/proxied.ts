/** Requests and connections on their way through proxies: plain requests are sent to the proxy, TLS goes through a tunnel. */
import type { buildConnector } from 'undici';
import type { Outgoing } from './exchange';
import type { Proxies, Proxy } from './proxies';
import { unreachable } from './proxy-tunnel';

/** How requests leave, and how connections are made for them. */
export interface Proxied {
  /** A plain request with the whole address, as its proxy takes it; others as they are. */
  readonly via: (outgoing: Outgoing) => Outgoing;
  readonly connectBy: (connectors: Connectors) => buildConnector.connector;
}

/** What makes connections. */
export interface Connectors {
  /** To hosts without a proxy. */
  readonly direct: buildConnector.connector;
  /** To proxies themselves. */
  readonly toProxy: buildConnector.connector;
  /** To hosts at the far end of a proxy. */
  readonly tunnelled: (proxy: Proxy) => buildConnector.connector;
}

/**
 * Sends requests by their proxies, as curl does: the address of a plain request stands in the request to the proxy, and what is
 * secured goes through a tunnel, so that the proxy sees nothing of it but the host.
 *
 * @example const { via, connectBy } = proxied(proxies);
 */
export function proxied(proxies: Proxies): Proxied {
  /** The proxies that plain requests are sent to. */
  const asked = new Map<string, Proxy>();
  return {
    via: (outgoing) => {
      const proxy = outgoing.origin.startsWith('http:') ? proxies.of(outgoing.origin) : undefined;
      if (proxy === undefined) return outgoing;
      asked.set(proxy.origin, proxy);
      return sentTo(proxy, outgoing);
    },
    connectBy:
      ({ direct, toProxy, tunnelled }) =>
      (target, callback) => {
        const origin = `${target.protocol}//${target.host ?? target.hostname}`;
        const itself = asked.get(origin);
        if (itself !== undefined) {
          toProxy(target, (...[error, socket]) => {
            if (error === null) callback(null, socket);
            else callback(unreachable(itself, error), null);
          });
          return;
        }
        const proxy = target.protocol === 'https:' ? proxies.of(origin) : undefined;
        (proxy === undefined ? direct : tunnelled(proxy))(target, callback);
      },
  };
}

function sentTo({ origin, authorization }: Proxy, outgoing: Outgoing): Outgoing {
  const hasHost = Object.keys(outgoing.headers).some((name) => name.toLowerCase() === 'host');
  return {
    ...outgoing,
    origin,
    path: outgoing.origin + outgoing.path,
    headers: {
      ...(hasHost ? {} : { host: new URL(outgoing.origin).host }),
      ...outgoing.headers,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
  };
}
