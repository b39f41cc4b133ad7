import { natsAddress } from '../../../src/sinks/nats/address';

describe('natsAddress', () => {
  it('has defaults for all but the host', () => {
    expect(natsAddress('nats://h')).toEqual({
      name: 'nats://h:4222/HEADWATER',
      server: 'h:4222',
      tls: false,
      credentials: {},
      stream: 'HEADWATER',
      prefix: 'headwater',
      unit: 'item',
      cloudEvents: false,
    });
  });

  it('takes what is given', () => {
    const url = 'tls://u%40x:p%3A@[::1]:1/S?subject=a.b&messages=pages&cloudevents=true';
    expect(natsAddress(url)).toMatchObject({
      name: 'tls://[::1]:1/S',
      tls: true,
      credentials: { user: 'u@x', pass: 'p:' },
      prefix: 'a.b',
      unit: 'page',
      cloudEvents: true,
    });
    expect(natsAddress('nats://t0ken@h').credentials).toEqual({ token: 't0ken' });
  });

  it.each([
    ['s3cret', 'not a URL'],
    ['http://u:s3cret@h', 'nats:// or tls://'],
    ['nats://u:s3cret@h/a.b', 'the name of a stream'],
    ['nats://u:s3cret@h/S?subject=a.*', 'what subjects begin with'],
    ['nats://u:s3cret@h/S?subject=', 'what subjects begin with'],
    ['nats://u:s3cret@h/S?messages=rows', 'messages has to be items or pages'],
    ['nats://u:s3cret@h/S?cloudevents=yes', 'cloudevents has to be false or true'],
    ['nats://u:s3cret@h/S?window=1', 'no parameter "window"'],
    ['nats://u:s3cret%@h/S', 'write it as %25'],
    ['nats://u:12/s3cret@h/S', 'an @ behind the host'],
    ['nats://u:12?s3cret@h/S', 'an @ behind the host'],
    ['nats://u:12#s3cret@h/S', 'an @ behind the host'],
  ])('refuses %s', (url, reason) => {
    const refused = expect(() => natsAddress(url));
    refused.toThrow(expect.objectContaining({ code: 'DESTINATION_ADDRESS' }) as Error);
    refused.toThrow(reason);
    refused.not.toThrow('s3cret');
  });
});
