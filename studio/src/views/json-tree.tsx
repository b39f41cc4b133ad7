import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Digits } from '../place';

/** What a click on a part of a response does; the path is that of keys. */
export interface Picks {
  /** The path of the list that is the items now. */
  readonly items: string;
  /** The path of the address of the next page, as it is written now. */
  readonly next: unknown;
  readonly list: (path: string) => void;
  readonly url: (path: string) => void;
}

/** Members of a list and of an object that are shown at first, and then. */
const FEW_ITEMS = 5;
const FEW_KEYS = 50;
const MOST = 500;
const DEEPEST = 40;

/** A response, as a tree of which lists and addresses can be picked. */
export function JsonTree({ value, picks }: { readonly value: unknown; readonly picks: Picks }): JSX.Element {
  return (
    <div class="json" role="region" aria-label="Response body" tabIndex={0}>
      <Value value={value} path={[]} picks={picks} isInList={false} depth={0} />
    </div>
  );
}

interface Part {
  readonly value: unknown;
  readonly path: readonly string[];
  readonly picks: Picks;
  readonly isInList: boolean;
  readonly depth: number;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** As JSON, in which what would turn the direction of writing is an escape. */
const written = (value: unknown): string =>
  value instanceof Digits
    ? value.text
    : JSON.stringify(value).replace(
        /[\u202a-\u202e\u2066-\u2069]/g,
        (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );

const isAddress = (value: unknown): boolean => typeof value === 'string' && /^(https?:\/\/|\/)\S+$/.test(value);

function Value(part: Part): JSX.Element {
  const { value, path, picks, isInList, depth } = part;
  if (typeof value === 'object' && value !== null && !(value instanceof Digits)) {
    if (depth > DEEPEST) return <span class="faint">… nested more deeply</span>;
    return isList(value) ? (
      <List {...part} list={value} />
    ) : (
      <Members {...part} members={Object.entries(value as Readonly<Record<string, unknown>>)} />
    );
  }
  const shown = <span class={typeof value === 'string' ? 'tok-string' : 'tok-number'}>{written(value)}</span>;
  if (isInList || !isAddress(value)) return shown;
  const place = path.join('.');
  const isNext = place === picks.next;
  return (
    <>
      {shown}{' '}
      <button class="pick" aria-pressed={isNext} onClick={() => picks.url(place)}>
        {isNext ? 'the next page' : 'use as next page'}
      </button>
    </>
  );
}

function Members({
  members,
  ...part
}: Part & { readonly members: readonly (readonly [string, unknown])[] }): JSX.Element {
  const [most, setMost] = useState(FEW_KEYS);
  return (
    <>
      <ul class="object">
        {members.slice(0, most).map(([key, inner]) => (
          <li key={key}>
            <span class="tok-key">{written(key).slice(1, -1)}</span>:{' '}
            <Value {...part} value={inner} path={[...part.path, key]} depth={part.depth + 1} />
          </li>
        ))}
      </ul>
      <More left={members.length - most} isLast={most === MOST} show={() => setMost(MOST)} />
    </>
  );
}

function List({ list, ...part }: Part & { readonly list: readonly unknown[] }): JSX.Element {
  const { path, picks, isInList, depth } = part;
  const [most, setMost] = useState(FEW_ITEMS);
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
        {list.slice(0, most).map((inner, at) => (
          <li key={at}>
            <Value {...part} value={inner} isInList depth={depth + 1} />
          </li>
        ))}
      </ol>
      <More left={list.length - most} isLast={most === MOST} show={() => setMost(MOST)} />
    </>
  );
}

interface MoreProps {
  readonly left: number;
  readonly isLast: boolean;
  readonly show: () => void;
}

function More({ left, isLast, show }: MoreProps): JSX.Element {
  if (left <= 0) return <></>;
  if (isLast) return <span class="faint">{left.toLocaleString('en')} more</span>;
  return (
    <button class="quiet more" onClick={show}>
      {left.toLocaleString('en')} more
    </button>
  );
}
