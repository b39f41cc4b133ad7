/** `npm run demo`: the built command against the example API, both on this machine, with the real output of both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startServer } from './api/server.cjs';
import { configurationAt } from './configuration.cjs';

const CONFIGURATION = 'stations.json';
const SHOWN_ITEMS = 5;
const TOKEN_SECONDS = 1;

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Runs the command with a configuration on its standard input; its log goes to the terminal as it comes. */
async function runCommand(configuration) {
  const child = spawn(process.execPath, [command, 'run', '-'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  child.stdin.end(JSON.stringify(configuration));
  const items = [];
  for await (const line of createInterface({ input: child.stdout })) items.push(line);
  const [status] = await exited;
  return { items, status: status ?? 1 };
}

async function demo() {
  const api = await startServer({ tokenSeconds: TOKEN_SECONDS });
  try {
    console.log(`An API of river gauges (examples/api/server.cjs) listens at ${api.origin}.`);
    console.log(`It wants a login, its tokens live ${TOKEN_SECONDS} second, and it turns down every 5th request.\n`);
    console.log(`$ headwater run examples/${CONFIGURATION}      (with baseUrl at that address)\n`);
    const { items, status } = await runCommand(configurationAt(api.origin, CONFIGURATION));
    console.log(`\nThat was its log, on standard error. Its standard output, one item a line:\n`);
    items.slice(0, SHOWN_ITEMS).forEach((item) => console.log(item));
    if (items.length > SHOWN_ITEMS) console.log(`… and ${items.length - SHOWN_ITEMS} more\n`);
    const { logins, requests, pages, limited, refused } = api.stats;
    console.log(`The API counted ${logins} logins and ${requests} requests for data:`);
    console.log(`${pages} answered with a page, ${limited} turned down (429, then retried), ${refused} refused (401).`);
    console.log(`The command wrote ${items.length} items and ended with exit status ${status}.`);
    return status;
  } finally {
    await api.close();
  }
}

if (existsSync(command)) process.exitCode = await demo();
else {
  console.error('The command is not built yet: run "npm install", or "npm run build".');
  process.exitCode = 1;
}
