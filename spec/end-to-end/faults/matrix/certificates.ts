import { createIdentity } from '../../../support/certificates';
import type { Identity } from '../../../support/certificates';
import { complete, fails } from '../story';
import type { StoryGroup } from '../story';

const tlsOf = ({ certificate, key }: Identity) => ({ cert: certificate, key });
const once = { retryConfig: { maxRetries: 0 } };

export const certificates: StoryGroup = {
  title: 'TLS',
  intro: 'A certificate that is not trusted ends a run at once: nothing has been sent, credentials included.',
  stories: [
    {
      summary: 'The certificate signed itself',
      set: () => ({ tls: tlsOf(createIdentity({})) }),
      ends: fails('NETWORK_CERTIFICATE'),
    },
    {
      summary: 'The certificate signed itself, and `api.caCertificate` names it',
      set: () => {
        const identity = createIdentity({});
        return { tls: tlsOf(identity), api: { caCertificate: identity.certificate } };
      },
      ends: complete(),
    },
    {
      summary: 'The certificate is for another host',
      set: () => {
        const identity = createIdentity({ name: 'other.example' });
        return { tls: tlsOf(identity), api: { caCertificate: identity.certificate } };
      },
      ends: fails('NETWORK_CERTIFICATE'),
    },
    {
      summary: 'The certificate has expired',
      set: () => {
        const identity = createIdentity({ validUntil: new Date('2020-01-01') });
        return { tls: tlsOf(identity), api: { caCertificate: identity.certificate } };
      },
      ends: fails('NETWORK_CERTIFICATE'),
    },
    {
      summary: 'The server asks for a client certificate, and there is none',
      set: () => {
        const identity = createIdentity({});
        const tls = { ...tlsOf(identity), ca: identity.certificate, requestCert: true, rejectUnauthorized: true };
        return { tls, api: { caCertificate: identity.certificate, ...once } };
      },
      ends: fails(['NETWORK_TLS', 'NETWORK_EMPTY', 'NETWORK_RESET']),
    },
    {
      summary: 'The server closes the connection during the handshake',
      set: ({ server }) => ({
        welcome: (socket) => void socket.once('data', () => socket.end()),
        baseUrl: () => `https://localhost:${server().port}`,
      }),
      ends: fails('NETWORK_TLS'),
    },
    {
      summary: 'The server resets the connection during the handshake',
      set: ({ server }) => ({
        welcome: (socket) => void socket.once('data', () => socket.resetAndDestroy()),
        baseUrl: () => `https://localhost:${server().port}`,
      }),
      ends: fails(['NETWORK_TLS', 'NETWORK_RESET']),
    },
    {
      summary: 'The server never ends the handshake',
      set: ({ server }) => ({
        welcome: () => undefined,
        baseUrl: () => `https://localhost:${server().port}`,
        api: { http: { connectTimeout: 0.1 }, ...once },
      }),
      ends: fails('NETWORK_TIMEOUT'),
    },
    {
      summary: 'The server speaks plain HTTP where TLS is meant',
      set: ({ server }) => ({
        baseUrl: () => `https://localhost:${server().port}`,
        welcome: (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      }),
      ends: fails('NETWORK_TLS'),
    },
    {
      summary: 'The server speaks TLS where plain HTTP is meant',
      set: ({ server }) => ({
        tls: tlsOf(createIdentity({})),
        baseUrl: () => `http://localhost:${server().port}`,
      }),
      ends: fails(['NETWORK_RESET', 'NETWORK_EMPTY', 'NETWORK_PROTOCOL']),
    },
  ],
};
