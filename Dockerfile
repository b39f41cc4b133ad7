# The command `headwater` with the clients of its databases and streams: docker build -t headwater .
FROM docker.io/library/node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# The build itself comes next: `prepare` would look for files that are not there yet.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && mkdir /packed && npm pack --ignore-scripts --pack-destination /packed
# The optional packages whose clients need no compiler; SQLite is part of this Node.js.
RUN node -p "const { peerDependencies: all, peerDependenciesMeta: meta } = require('./package.json'); \
      Object.keys(meta).filter((name) => name !== 'better-sqlite3').map((name) => name + '@' + all[name]).join('\n')" \
      > /packed/clients
RUN mkdir /app && cd /app && npm install --omit=dev --ignore-scripts --no-save $(cat /packed/clients) /packed/headwater-*.tgz

FROM docker.io/library/node:22-bookworm-slim
ENV NODE_ENV=production
COPY --from=build /app /usr/local/lib/headwater
# Behind `--`, Node.js leaves --env-file to the command.
RUN printf '#!/bin/sh\nexec node -- /usr/local/lib/headwater/node_modules/headwater/dist/cli/main.js "$@"\n' \
      > /usr/local/bin/headwater && chmod 755 /usr/local/bin/headwater \
  && mkdir /data && chown node:node /data
# The first run leaves what it compiled beside the command, where later runs, of another user, only read.
RUN node -e "const server = require('node:http').createServer((_, response) => response.end('[{}]')).listen(0, () => { \
      const config = { api: { baseUrl: 'http://127.0.0.1:' + server.address().port }, config: { jobs: [{ endpoint: 'items' }] } }; \
      const run = require('node:child_process').spawn('headwater', ['run', '-'], { stdio: ['pipe', 'inherit', 'inherit'] }); \
      run.on('exit', (status) => process.exit(status)).stdin.end(JSON.stringify(config)); \
    })"
USER node
# Configurations, files and what runs keep: mount a folder that the user 1000 can write.
WORKDIR /data
ENTRYPOINT ["headwater"]
CMD ["--help"]
