// The limit, undici alone: node bench/bare-loop.mjs BASE_URL PATH_BEFORE_NUMBER STEP REQUESTS AT_ONCE
// Sends REQUESTS requests, their paths ending in 0, STEP, 2 × STEP …, AT_ONCE at a time, and drops what they bring.
import { Agent } from 'undici';

const [baseUrl, path, step, requests, atOnce] = process.argv.slice(2);
const { origin } = new URL(baseUrl);
const agent = new Agent({ connections: Number(atOnce) });
let sent = 0;
let open = 0;

const handler = {
  onRequestStart() {},
  onResponseStart(_, status) {
    if (status !== 200) throw new Error(`status ${status}`);
  },
  onResponseData() {},
  onResponseEnd() {
    open -= 1;
    sendNext();
  },
  onResponseError(_, error) {
    throw error;
  },
};

function sendNext() {
  if (sent < Number(requests)) {
    agent.dispatch({ origin, path: `/${path}${sent * Number(step)}`, method: 'GET' }, handler);
    sent += 1;
    open += 1;
  } else if (open === 0) void agent.close();
}

for (let lane = 0; lane < Number(atOnce); lane += 1) sendNext();
