/** The API of the programs, on a port of its own; it takes requests with the version and the cookie that it expects, and no others. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const STATIONS = ['A1', 'B2', 'C3', 'D4', 'E5'].map((id) => ({ id }));

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://api');
  const offset = Number(searchParams.get('offset'));
  const faults = [
    request.headers['user-agent'] !== `headwater/${version}` && `user-agent ${request.headers['user-agent']}`,
    pathname === '/stations' && searchParams.get('q') !== 'LOUD' && `q ${searchParams.get('q')}`,
    pathname === '/stations' &&
      offset > 0 &&
      request.headers.cookie !== 'session=1' &&
      `cookie ${request.headers.cookie}`,
  ].filter(Boolean);
  response.writeHead(faults.length > 0 ? 400 : 200, { 'content-type': 'application/json', 'set-cookie': 'session=1' });
  if (faults.length > 0) response.end(JSON.stringify({ faults }));
  else if (pathname === '/graphql') response.end(JSON.stringify({ data: { rivers: [{ id: 'Ald' }] } }));
  else response.end(JSON.stringify({ stations: STATIONS.slice(offset, offset + 2) }));
});
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
process.on('disconnect', () => process.exit());
