/** Does `work` for each of `list`, `count` at once, and gives the results in the order of the list. */
export const inLanes = async (list, count, work) => {
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < list.length) {
      const index = next++;
      results[index] = await work(list[index]);
    }
  };
  await Promise.all(Array.from({ length: count }, lane));
  return results;
};
