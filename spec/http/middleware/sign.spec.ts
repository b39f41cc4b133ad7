import { defer, firstValueFrom, of, throwError } from 'rxjs';
import { sign } from '../../../src/http/middleware/sign';
import type { Request, Send } from '../../../src/core/model';
import { aRequest, aResponse } from '../../support/requests';

/** Answers everything and keeps it. */
function api() {
  const sent: Request[] = [];
  const send: Send = (request) =>
    defer(() => {
      sent.push(request);
      return of(aResponse({ request }));
    });
  return { sent, send };
}

describe('language 4.9: signing as the last stage', () => {
  it('each attempt is signed anew, and not before it is sent', async () => {
    let signatures = 0;
    const { sent, send } = api();
    const attempt$ = sign((request) => ({ ...request, headers: { 'x-signature': `${(signatures += 1)}` } }))(send)(
      aRequest(),
    );
    expect(signatures).toBe(0);
    await firstValueFrom(attempt$);
    await firstValueFrom(attempt$);
    expect(sent.map(({ headers }) => headers['x-signature'])).toEqual(['1', '2']);
  });

  it('the response names the request without its signature', async () => {
    const request = aRequest();
    const { send } = api();
    const signing = sign((unsigned) => ({ ...unsigned, headers: { authorization: 's' } }))(send);
    expect((await firstValueFrom(signing(request))).request).toBe(request);
  });

  it('without a signature nothing is changed', () => {
    const { send } = api();
    expect(sign(undefined)(send)).toBe(send);
  });

  it('errors, of the signature or of what follows, are passed on', async () => {
    const failure = new Error('no');
    const failing: Send = () => throwError(() => failure);
    const refusing = sign(() => {
      throw failure;
    });
    await expect(firstValueFrom(sign((request) => request)(failing)(aRequest()))).rejects.toBe(failure);
    await expect(firstValueFrom(refusing(api().send)(aRequest()))).rejects.toBe(failure);
  });
});
