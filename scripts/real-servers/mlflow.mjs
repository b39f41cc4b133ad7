import { ask, secret } from './ask.mjs';

const headers = { authorization: `Basic ${Buffer.from(`admin:${secret}`).toString('base64')}` };

export async function fill() {
  // mlflow.py has filled its store.
}

/** Everything in one page each, from the other end: runs of an experiment after another. */
export async function checks(url) {
  const read = (path) => ask(`${url}/api/2.0/mlflow/${path}`, { headers });
  const { experiments } = await read('experiments/search?max_results=5000&order_by=name+DESC');
  const { runs } = await ask(`${url}/api/2.0/mlflow/runs/search`, {
    method: 'POST',
    headers,
    body: { experiment_ids: experiments.map((each) => each.experiment_id), max_results: 5000 },
  });
  const { registered_models: models } = await read('registered-models/search?max_results=1000&order_by=name+DESC');
  const { model_versions: versions } = await read('model-versions/search?max_results=5000&order_by=name+DESC');
  const common = {
    configuration: 'mlflow',
    attributes: { server: url, username: 'admin', '#password': secret },
    // The counts are those of mlflow.py.
    expected: {
      experiments: { count: 120, items: experiments },
      runs: { count: 420, items: runs },
      models: { count: 100, items: models },
      versions: { count: 150, items: versions },
    },
  };
  const pages =
    (size) =>
    ({ config: { jobs } }) => {
      for (const job of [...jobs, jobs[0].children[0]]) job.params.max_results = size;
    };
  return [
    { ...common, what: '120 experiments, 420 runs, 100 models and 150 versions by tokens' },
    { ...common, what: 'the same in pages of 30, of which the last is full', change: pages(30) },
    {
      ...common,
      what: 'the same in files, killed again and again',
      change: pages(30),
      kill: 12,
      atLeast: { 'Run started': 2 },
    },
  ];
}
