import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** What a click on a part of a response does; the path is that of keys. */
export interface Picks {
  /** The path of the list that is the items now. */
  readonly items: string;
  readonly list: (path: string) => void;
  readonly url: (path: string) => void;
}

const MOST = 5;

/** A response, as a tree of which lists and addresses can be picked. */
export function JsonTree({ value, picks }: { readonly value: unknown; readonly picks: Picks }): JSX.Element {
  return (
    <div class="json" role="region" aria-label="Response body" tabIndex={0}>
      <Value value={value} path={[]} picks={picks} isInList={false} />
    </div>
  );
}

interface Part {
  readonly value: unknown;
  readonly path: readonly string[];
  readonly picks: Picks;
  readonly isInList: boolean;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function Value(part: Part): JSX.Element {
  const { value, path, picks, isInList } = part;
  if (isList(value)) return <List {...part} list={value} />;
  if (typeof value === 'object' && value !== null)
    return (
      <ul class="object">
        {Object.entries(value as Readonly<Record<string, unknown>>).map(([key, inner]) => (
          <li key={key}>
            <span class="tok-key">{key}</span>:{' '}
            <Value value={inner} path={[...path, key]} picks={picks} isInList={isInList} />
          </li>
        ))}
      </ul>
    );
  const text = JSON.stringify(value);
  const kind = typeof value === 'string' ? 'tok-string' : 'tok-number';
  if (typeof value !== 'string' || isInList || !/^(https?:\/\/|\/)\S+$/.test(value))
    return <span class={kind}>{text}</span>;
  return (
    <>
      <span class={kind}>{text}</span>{' '}
      <button class="pick" onClick={() => picks.url(path.join('.'))}>
        use as next page
      </button>
    </>
  );
}

function List({ list, path, picks, isInList }: Part & { readonly list: readonly unknown[] }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const place = path.join('.');
  const isItems = !isInList && place === picks.items;
  const count = `${list.length} ${list.length === 1 ? 'item' : 'items'}`;
  return (
    <>
      {isInList ? (
        <span class="faint">{count}</span>
      ) : (
        <button class={`pick ${isItems ? 'picked' : ''}`} aria-pressed={isItems} onClick={() => picks.list(place)}>
          {isItems ? `${count}: the items of this job` : `${count}: use as items`}
        </button>
      )}
      <ol class="list" start={0}>
        {list.slice(0, isWhole ? 100 : MOST).map((inner, at) => (
          <li key={at}>
            <Value value={inner} path={path} picks={picks} isInList />
          </li>
        ))}
      </ol>
      {list.length > MOST && !isWhole ? (
        <button class="quiet more" onClick={() => setWhole(true)}>
          {list.length - MOST} more
        </button>
      ) : null}
    </>
  );
}
