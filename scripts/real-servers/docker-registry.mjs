import { createHash } from 'node:crypto';
import { range, secret } from './ask.mjs';

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const headers = { authorization: `Basic ${Buffer.from(`headwater:${secret}`).toString('base64')}` };
const digest = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** 300 repositories, so that the last page of 100 is full; a name that is the beginning of others, and another that sorts between these. */
const repositories = [
  ...range(297).map((i) => `team-${i % 7}/image-${i}`),
  'team-3',
  'team-3/image.3/debug',
  'team-3.old',
];
const pushed = [];

export async function fill(url) {
  const send = async (method, path, body, type = 'application/octet-stream') => {
    const response = await fetch(new URL(path, url), { method, headers: { ...headers, 'content-type': type }, body });
    if (!response.ok) throw new Error(`${response.status} ${method} ${path}: ${await response.text()}`);
    return response;
  };
  const blob = async (repository, text) => {
    const upload = await send('POST', `/v2/${repository}/blobs/uploads/`);
    const location = new URL(upload.headers.get('location'), url);
    location.searchParams.set('digest', digest(text));
    await send('PUT', location, text);
    return { size: text.length, digest: digest(text) };
  };
  for (const [number, repository] of [...repositories, 'emptied'].entries()) {
    const layer = {
      mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
      ...(await blob(repository, 'layer')),
    };
    for (const tag of ['latest', ...range(number % 3).map((i) => `1.${i}`)]) {
      const config = {
        mediaType: 'application/vnd.docker.container.image.v1+json',
        ...(await blob(repository, JSON.stringify({ architecture: 'amd64', repository, tag }))),
      };
      const manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers: [layer] };
      const text = JSON.stringify(manifest);
      await send('PUT', `/v2/${repository}/manifests/${tag}`, text, MANIFEST);
      if (repository === 'emptied') await send('DELETE', `/v2/${repository}/manifests/${digest(text)}`);
      else pushed.push({ repository, tag, manifest });
    }
  }
}

export async function checks(url) {
  const read = async (path) => (await fetch(`${url}${path}`, { headers })).json();
  const { repositories: listed } = await read('/v2/_catalog?n=1000');
  const tags = [];
  for (const repository of listed)
    for (const tag of (await read(`/v2/${repository}/tags/list`)).tags ?? []) tags.push({ repository, tag });
  const manifests = pushed.map(({ manifest }) => manifest);
  const common = {
    configuration: 'docker-registry',
    attributes: { server: url, username: 'headwater', '#password': secret },
    expected: {
      repositories: { count: repositories.length + 1, items: listed },
      tags: { count: pushed.length, items: tags },
      manifests: { count: pushed.length, items: manifests },
    },
    // Of the repository whose image was deleted.
    warned: 'had no items',
  };
  return [
    {
      ...common,
      what: `${listed.length} repositories, ${tags.length} tags and as many manifests by links in a header`,
    },
    { ...common, what: 'the same in pages of 7', change: ({ config: { jobs } }) => (jobs[0].params.n = 7) },
    {
      ...common,
      what: 'the same in files, killed again and again',
      change: ({ config: { jobs } }) => (jobs[0].params.n = 43),
      kill: 12,
      atLeast: { 'Run started': 2 },
    },
  ];
}
