import type { JSX } from 'preact';

/** What stands in place of a preview, and says what to do. */
export function NothingYet({ isBusy, hasJobs }: { readonly isBusy: boolean; readonly hasJobs: boolean }): JSX.Element {
  if (isBusy)
    return (
      <p class="empty" role="status">
        Asking the API…
      </p>
    );
  return (
    <div class="empty">
      <p>{hasJobs ? 'Press Preview to see what the API answers.' : 'Write a job first: an endpoint is enough.'}</p>
      <p class="faint">
        Then choose in the answer: the list that holds the items, the address of the next page, the key.
      </p>
    </div>
  );
}
