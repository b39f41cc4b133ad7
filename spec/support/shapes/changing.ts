/** An API whose items change between two runs. */
import { json } from '../answers';
import type { Handler } from '../api-server';
import { STATIONS, numberIn, sliceOf, urlOf } from './shape';
import type { Station } from './shape';

type DatedStation = Station & { readonly updated_at: string };

interface Changing {
  readonly answers: Handler;
  /** What the API has now. */
  readonly all: () => readonly DatedStation[];
  /** One station is new, one has changed, and the change of one is seen late: it is older than the newest of before. */
  readonly change: () => void;
}

const timeOf = (minute: number): string => new Date(Date.UTC(2024, 0, 1, 0, minute)).toISOString();

export function changingStations(): Changing {
  let all: readonly DatedStation[] = STATIONS.map((station, at) => ({ ...station, updated_at: timeOf(at * 60) }));
  return {
    all: () => all,
    change: () => {
      const changed = all.map((station, at) =>
        at === 3
          ? { ...station, name: 'Changed', updated_at: timeOf(300 * 60) }
          : at === 5
            ? { ...station, name: 'Late', updated_at: timeOf(249 * 60 - 2) }
            : station,
      );
      all = [...changed, { id: 251, name: 'New', updated_at: timeOf(301 * 60) }];
    },
    answers: (request) => {
      const url = urlOf(request);
      const since = Date.parse(url.searchParams.get('updated_since') ?? timeOf(0));
      const found = all
        .filter(({ updated_at }) => Date.parse(updated_at) >= since)
        .sort((one, other) => Date.parse(one.updated_at) - Date.parse(other.updated_at));
      const data = sliceOf(found, numberIn(url, 'offset', 0), numberIn(url, 'limit', 20));
      return json({ data, total: found.length });
    },
  };
}
