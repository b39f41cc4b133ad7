import { Subscription } from 'rxjs';

/** Events in the order of their moments, in milliseconds; of one moment, in the order in which they were added. */
export function createVirtualTime() {
  // A binary heap, in arrays of its own for each field: there are tens of millions of events.
  let moments = [];
  let numbers = [];
  let works = [];
  let [size, added, now] = [0, 0, 0];
  const isBefore = (a, b) => moments[a] < moments[b] || (moments[a] === moments[b] && numbers[a] < numbers[b]);
  const swap = (a, b) => {
    for (const each of [moments, numbers, works]) [each[a], each[b]] = [each[b], each[a]];
  };
  const at = (moment, work) => {
    let place = size;
    size += 1;
    moments[place] = Math.max(now, moment);
    numbers[place] = added += 1;
    works[place] = work;
    for (let parent = (place - 1) >> 1; place > 0 && isBefore(place, parent); parent = (place - 1) >> 1) {
      swap(place, parent);
      place = parent;
    }
  };
  const take = () => {
    const work = works[0];
    now = moments[0];
    size -= 1;
    swap(0, size);
    works[size] = undefined;
    for (let place = 0; ;) {
      let child = 2 * place + 1;
      if (child >= size) return work;
      if (child + 1 < size && isBefore(child + 1, child)) child += 1;
      if (!isBefore(child, place)) return work;
      swap(place, child);
      place = child;
    }
  };
  const after = (delay, work) => at(now + delay, work);
  return {
    now: () => now,
    at,
    after,
    /** Does all that is due, or what is due before a moment. */
    run: (end = Infinity) => {
      while (size > 0 && moments[0] < end) take()();
    },
    /** The same, where promises have to go on between two events. */
    runWithPromises: async (end = Infinity) => {
      while (size > 0 && moments[0] < end) {
        take()();
        // A few steps: of an async function, and of those that wait for it.
        for (let step = 0; step < 6; step += 1) await undefined;
      }
    },
    /** A scheduler of RxJS. */
    scheduler: {
      now: () => now,
      schedule: (work, delay = 0, state = undefined) => {
        const action = new Subscription();
        action.schedule = (next, later = 0) => {
          after(later, () => {
            if (!action.closed) work.call(action, next);
          });
          return action;
        };
        return action.schedule(state, delay);
      },
    },
  };
}

/** Numbers between 0 and 1 that look random, the same ones for the same seed: a multiplicative congruential generator. */
export function randomFrom(seed) {
  const PRIME = 2 ** 31 - 1;
  let state = (seed % (PRIME - 1)) + 1;
  return () => {
    state = (state * 48_271) % PRIME;
    return state / PRIME;
  };
}
