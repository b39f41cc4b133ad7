/** What is kept of the record of a run: not its id, its times, and who wrote it. */
const LEFT_OUT = ['run_id', 'started_at', 'committed_at', 'duration_seconds', 'headwater_version', 'destination'];

const value = (found) => {
  if (typeof found !== 'string' || !/^[[{]/.test(found)) return found;
  try {
    return JSON.parse(found);
  } catch {
    return found;
  }
};

export const receipt = (record) =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([key]) => !LEFT_OUT.includes(key) && !key.startsWith('checksum') && key !== 'sha256')
      // Some destinations give integers as texts.
      .map(([key, found]) => [key, /^\d+$/.test(String(found)) ? Number(found) : value(found)]),
  );
