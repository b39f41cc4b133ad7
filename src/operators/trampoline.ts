/**
 * Work that begins inside of other work waits until that returns, so that synchronous steps do not nest; outside of such
 * nesting it begins at once. The queue is ours alone. That of `queueScheduler` is everybody's: an action of others that throws
 * there takes all that waits behind it along.
 *
 * @param work Does what there is to do; nobody gets what it returns.
 */
export function inTurn(work: () => void): void {
  waiting.push(work);
  if (!isBusy) flush();
}

const waiting: (() => void)[] = [];
let isBusy = false;

function flush(): void {
  isBusy = true;
  try {
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) work();
  } finally {
    isBusy = false;
    // Work that has thrown takes nobody along.
    if (waiting.length > 0) flush();
  }
}
