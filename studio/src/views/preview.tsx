import type { JSX } from 'preact';
import { exactValueOf, pathOf, valueAt, valueOf } from '../place';
import type { JobPreview, PagePreview } from '../server';
import {
  change,
  chosenJob$,
  isPreviewing$,
  look,
  opened$,
  preview$,
  previewOf,
  text$,
  useValue,
  written$,
} from '../store';
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
  const { jobs } = useValue(written$);
  const preview = useValue(preview$);
  const isBusy = useValue(isPreviewing$);
  const chosen = useValue(chosenJob$);
  const job = jobs.find(({ path }) => path === chosen) ?? jobs[0];
  const found = previewOf(preview, job);
  return (
    <>
      <div class="bar">
        <div>
          <h2>Preview</h2>
          <p class="faint">One page of each job. Nothing is stored.</p>
        </div>
        <button class="strong" disabled={isBusy || jobs.length === 0} onClick={look}>
          {isBusy ? 'Asking…' : 'Preview'}
        </button>
      </div>
      {job === undefined || found === undefined ? (
        <NothingYet isBusy={isBusy} hasJobs={jobs.length > 0} />
      ) : (
        <Job job={job} preview={found} />
      )}
    </>
  );
}

function Job({ job, preview }: { readonly job: WrittenJob; readonly preview: JobPreview }): JSX.Element {
  const [page] = preview.pages;
  return (
    <>
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
  const isGood = response.status < 400;
  const at = pathOf(job.path);
  const root = at[0] === 'parameters' ? ['parameters'] : [];
  const pickList = (path: string): void => {
    change(
      [...at, 'dataField'],
      path === '' ? '.' : path,
      `The items of ${job.name} are in ${path === '' ? 'the answer itself' : path}.`,
    );
    look();
  };
  const pickUrl = (path: string): void => {
    change(
      [...root, 'api', 'pagination'],
      { method: 'response.url', urlKey: path },
      `The address of the next page is in ${path}.`,
    );
    look();
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
          picks={{ items: found.path === '.' ? '' : found.path, list: pickList, url: pickUrl }}
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

/** Items as the table that they make, with what a column may be used for. */
function Items({ job, preview, page }: Seen): JSX.Element {
  const { language = 'json' } = opened$.value ?? {};
  const at = pathOf(job.path);
  const written = valueAt(valueOf(text$.value, language), at);
  const keys = [valueAt(written, ['primaryKey']) ?? []].flat().map(String);
  const cursor = valueAt(written, ['incremental', 'field']);
  const toggleKey = (name: string): void => {
    const next = keys.includes(name) ? keys.filter((key) => key !== name) : [...keys, name];
    change(
      [...at, 'primaryKey'],
      next.length === 0 ? undefined : next,
      `The key of ${job.name}: ${next.join(', ') || 'none'}.`,
    );
  };
  const toggleCursor = (name: string): void => {
    const value = cursor === name ? undefined : { field: name, param: 'since' };
    const done =
      value === undefined
        ? `${job.name} asks for everything again.`
        : `Later runs ask for what is newer by ${name}. Correct "param": the API may call it otherwise.`;
    change([...at, 'incremental'], value, done);
  };
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
                order > 0 ? null : (
                  <span class="uses">
                    <button
                      class="pick"
                      aria-pressed={keys.includes(name)}
                      aria-label={`Use ${name} as key`}
                      onClick={() => toggleKey(name)}
                    >
                      key
                    </button>
                    <button
                      class="pick"
                      aria-pressed={cursor === name}
                      aria-label={`Ask for what is newer by ${name}`}
                      onClick={() => toggleCursor(name)}
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
