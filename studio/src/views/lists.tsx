import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Choice } from '../server';

/** With so many, a field finds those that have some words. */
const MANY = 8;

/** The lists that are chosen, by their places. */
export type ChosenLists = ReadonlySet<number>;

/** Everything below a list; a child is called for the items of its parent. */
export const childrenOf = (choices: readonly Choice[], at: number): readonly number[] =>
  choices.flatMap(({ parent }, child) => (parent === at ? [child, ...childrenOf(choices, child)] : []));

const parentsOf = (choices: readonly Choice[], at: number): readonly number[] => {
  const parent = choices[at]?.parent;
  return parent === undefined ? [] : [...parentsOf(choices, parent), parent];
};

/** Chooses a list with its children, and its parents, without which it cannot be called; or leaves it and its children out. */
export function toggled(choices: readonly Choice[], chosen: ChosenLists, at: number): ChosenLists {
  const below = childrenOf(choices, at);
  if (chosen.has(at)) return new Set([...chosen].filter((each) => each !== at && !below.includes(each)));
  // A child that needs more than its parent gives is chosen by itself.
  const ready = below.filter((each) => [each, ...parentsOf(choices, each)].every((one) => isReady(choices[one])));
  return new Set([...chosen, ...parentsOf(choices, at), at, ...ready]);
}

/** This tells whether a list can be asked for without a value that a person gives. */
export const isReady = (choice: Choice | undefined): boolean => choice?.values.length === 0;

/** The first list that needs nothing, with its children. */
export function firstChosen(choices: readonly Choice[]): ChosenLists {
  const first = choices.findIndex((each) => each.parent === undefined && isReady(each));
  return toggled(choices, new Set(), Math.max(0, first));
}

/** In the order of a tree. */
const inOrder = (choices: readonly Choice[]): readonly number[] =>
  choices.flatMap(({ parent }, at) => (parent === undefined ? [at, ...childrenOf(choices, at)] : []));

interface ListsProps {
  readonly choices: readonly Choice[];
  readonly chosen: ChosenLists;
  readonly choose: (chosen: ChosenLists) => void;
}

/** Lists to choose from, children below their parents. The arrow keys go from one to the next, and Tab goes on. */
export function Lists({ choices, chosen, choose }: ListsProps): JSX.Element {
  const [wanted, setWanted] = useState('');
  const [current, setCurrent] = useState<number>();
  const words = wanted.toLowerCase().split(/\s+/);
  const fits = ({ id, summary = '' }: Choice): boolean =>
    words.every((word) => `${id} ${summary}`.toLowerCase().includes(word));
  const shown = inOrder(choices).filter((at) => choices.slice(at, at + 1).some(fits));
  const reached = current !== undefined && shown.includes(current) ? current : shown[0];
  const ready = choices.flatMap((choice, at) => (isReady(choice) ? [at] : []));
  const step = (event: KeyboardEvent, order: number): void => {
    const next = shown[order + (event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0)];
    if (next === undefined || next === shown[order]) return;
    event.preventDefault();
    setCurrent(next);
    document.getElementById(`list-${next}`)?.focus();
  };
  return (
    <fieldset class="lists">
      <legend>
        {chosen.size} of {choices.length} {choices.length === 1 ? 'list' : 'lists'} chosen
      </legend>
      <div class="row">
        {choices.length < MANY ? null : (
          <input
            type="search"
            aria-label="Find lists"
            placeholder="Find lists"
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
        )}
        {choices.length === 1 ? null : (
          <>
            <button
              type="button"
              class="quiet small"
              title="All lists that need no value"
              onClick={() =>
                choose(new Set(ready.filter((at) => parentsOf(choices, at).every((each) => ready.includes(each)))))
              }
            >
              All
            </button>
            <button type="button" class="quiet small" onClick={() => choose(new Set())}>
              None
            </button>
          </>
        )}
      </div>
      <div class="tree">
        {shown.map((at, order) => (
          <label key={at} class={`list level-${Math.min(parentsOf(choices, at).length, 5)}`}>
            <input
              id={`list-${at}`}
              type="checkbox"
              checked={chosen.has(at)}
              tabIndex={at === reached ? 0 : -1}
              onFocus={() => setCurrent(at)}
              onClick={() => choose(toggled(choices, chosen, at))}
              onKeyDown={(event) => step(event, order)}
            />
            <span class="path">{choices[at]?.id}</span>
            <span class="faint">{choices[at]?.summary}</span>
          </label>
        ))}
        {shown.length === 0 ? <p class="faint">No list has these words.</p> : null}
      </div>
    </fieldset>
  );
}
