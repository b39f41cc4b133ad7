/** One call of the command, as a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const LIMIT_MS = 60_000;

/** Variables that change what the command does are not passed on. */
const environment = (more) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TZ: 'UTC',
  ...more,
});

const read = (stream) => {
  const chunks = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
};

/** `onStart` gets a function that kills the process. Resolves to `{ status, stdout, stderr }`. */
export const runCommand = ({ node, dist, folder, options, variables = {}, onStart = () => {} }) =>
  new Promise((resolve, reject) => {
    const child = spawn(node, [join(dist, 'cli/main.js'), ...options], {
      cwd: folder,
      env: environment(variables),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stdout = read(child.stdout);
    const stderr = read(child.stderr);
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    onStart(() => child.kill('SIGKILL'));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      resolve({ status: code ?? signal, stdout: stdout(), stderr: stderr() });
    });
  });
