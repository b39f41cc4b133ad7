import type { JSX } from 'preact';
import { chooseList, chooseNext, originOf, toggleCursor, toggleKey } from '../changes';
import { exactValueOf, valueAt } from '../place';
import type { JobPreview, PagePreview } from '../server';
import { chosenJob$, isPreviewing$, look, preview$, previewOf, useValue, written$ } from '../store';
import type { WrittenJob } from '../written';
import { Grid } from './grid';
import { JsonTree } from './json-tree';
import { NothingYet } from './nothing-yet';

/** A job, and the page of it that was asked for. */
interface Seen {
  readonly job: WrittenJob;
  readonly preview: JobPreview;
  readonly page: PagePreview;
}

/** One page of the job that is chosen: what was asked, what came, and what is made of it. */
export function PreviewView(): JSX.Element {
  const { jobs, hasParts } = useValue(written$);
  const preview = useValue(preview$);
  const isBusy = useValue(isPreviewing$);
  const chosen = useValue(chosenJob$);
  const job = jobs.find(({ key }) => key === chosen) ?? jobs[0];
  const found = previewOf(preview, job);
  const canLook = jobs.length > 0 || hasParts;
  return (
    <>
      <div class="bar">
        <div>
          <h2>Preview</h2>
          <p class="faint">One page of each job. Nothing is stored.</p>
        </div>
        <button class="strong" disabled={isBusy || !canLook} onClick={look}>
          {isBusy ? 'Asking…' : 'Preview'}
        </button>
      </div>
      {job === undefined || found === undefined ? (
        <NothingYet isBusy={isBusy} hasJobs={canLook} />
      ) : (
        <Job job={job} preview={found} />
      )}
    </>
  );
}

function Job({ job, preview }: { readonly job: WrittenJob; readonly preview: JobPreview }): JSX.Element {
  const [page] = preview.pages;
  const origin = originOf(job);
  return (
    <>
      {origin === undefined ? null : <p class="origin">{origin}</p>}
      {preview.error === undefined ? null : <p class="problem">{preview.error.message}</p>}
      {preview.reason === undefined ? null : <p class="problem">{preview.reason}</p>}
      {preview.warnings.map((warning) => (
        <p class="problem" key={warning}>
          {warning}
        </p>
      ))}
      {page === undefined ? null : <Page job={job} preview={preview} page={page} />}
    </>
  );
}

function Page({ job, preview, page }: Seen): JSX.Element {
  const { request, response, found, next } = page;
  const { value: configuration } = useValue(written$);
  const nextKey = valueAt(configuration, ['api', 'pagination', 'urlKey']);
  const isGood = response.status < 400;
  const pickList = (path: string): void => {
    if (chooseList(job, path)) look();
  };
  const pickUrl = (path: string): void => {
    if (chooseNext(path)) look();
  };
  return (
    <div class="cards">
      <section class="card" aria-label="Request">
        <h3>Request</h3>
        <p class="line">
          <b>{request.method}</b> <code>{request.url}</code>
        </p>
        <Headers headers={request.headers} />
        {request.body === undefined ? null : <pre tabIndex={0}>{request.body}</pre>}
        <h3>Next</h3>
        <p class="line">
          {next.request === undefined ? (
            next.because
          ) : (
            <>
              <b>{next.request.method}</b> <code>{next.request.url}</code>
            </>
          )}
        </p>
      </section>
      <section class="card" aria-label="Response">
        <h3>
          Response <span class={`tag ${isGood ? 'good' : 'bad'}`}>{response.status}</span>
          <small>
            {response.bytes.toLocaleString('en')} bytes, {response.milliseconds} ms
          </small>
        </h3>
        <Body
          text={response.body}
          picks={{ items: found.path === '.' ? '' : found.path, next: nextKey, list: pickList, url: pickUrl }}
        />
      </section>
      <Items job={job} preview={preview} page={page} />
    </div>
  );
}

function Body({
  text,
  picks,
}: {
  readonly text: string;
  readonly picks: Parameters<typeof JsonTree>[0]['picks'];
}): JSX.Element {
  const value = exactValueOf(text);
  return typeof value === 'object' && value !== null ? (
    <JsonTree value={value} picks={picks} />
  ) : (
    <pre tabIndex={0}>{text}</pre>
  );
}

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }): JSX.Element {
  const count = Object.keys(headers).length;
  if (count === 0) return <></>;
  return (
    <details>
      <summary>{count === 1 ? '1 header' : `${count} headers`}</summary>
      <dl>
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** The column of row numbers, which the tables of lists refer to: no item has it. */
const ROW_ID = '_row_id';

/** Items as the table that they make, with what a column may be used for. */
function Items({ job, preview, page }: Seen): JSX.Element {
  const tables = preview.tables.length === 0 && page.items.length > 0 ? [] : preview.tables;
  return (
    <section class="card wide" aria-label="Items and tables">
      <h3>
        Items and tables <small>{page.count} on this page</small>
      </h3>
      {tables.length === 0 ? <p class="faint">No items yet. Choose a list in the response.</p> : null}
      {tables.map((table, order) => (
        <div key={table.name}>
          <p class="line">
            <b>{table.name}</b> {table.parent === undefined ? null : <span class="faint">below {table.parent}</span>}
          </p>
          <Grid
            label={`Table ${table.name}`}
            columns={table.columns.map(({ name, type }) => ({
              name,
              type,
              head:
                order > 0 || name === ROW_ID ? null : (
                  <span class="uses">
                    <button
                      class="pick"
                      aria-pressed={job.primaryKey.includes(name)}
                      aria-label={`Use ${name} as key`}
                      onClick={() => toggleKey(job, name)}
                    >
                      key
                    </button>
                    <button
                      class="pick"
                      aria-pressed={job.cursor === name}
                      aria-label={`Ask for what is newer by ${name}`}
                      onClick={() => toggleCursor(job, name)}
                    >
                      newer
                    </button>
                  </span>
                ),
            }))}
            rows={table.rows.slice(0, 20)}
          />
        </div>
      ))}
    </section>
  );
}
