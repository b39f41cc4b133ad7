/** The same parts from an ES module, and a stage around requests. */
import { defineMiddleware } from 'headwater/components';
import { tap } from 'rxjs';
import parts from './parts.cjs';

const timing = defineMiddleware({
  name: 'timing',
  summary: 'Tells how long each attempt took.',
  around: 'attempt',
  middleware: (send) => (request) => {
    const sentAt = Date.now();
    return send(request).pipe(tap(() => console.error(`timing: ${request.method} in ${Date.now() - sentAt} ms`)));
  },
});

export default [parts.marker, parts.hmac, parts.slug, parts.webhook, timing];
