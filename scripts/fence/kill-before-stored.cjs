/**
 * Loaded before the command: ends the process at the place where it is about to say what it has stored, which is behind
 * the commit and before the run is over.
 */
const { stderr } = process;
const { write } = stderr;

stderr.write = function (chunk, ...rest) {
  if (String(chunk).includes('"event":"summary"')) process.kill(process.pid, 'SIGKILL');
  return write.call(stderr, chunk, ...rest);
};
