# One image for every kind of process; compose chooses by `command`. Install scripts are never needed.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
# What the image contains, for scanners.
RUN node scripts/sbom.mjs > sbom.cdx.json

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-bookworm-slim AS runtime
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="Switchyard" \
  org.opencontainers.image.description="A chat back end whose tool calls run on their own workers" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/package.json ./package.json
COPY --from=build /app/sbom.cdx.json ./sbom.cdx.json
COPY --from=build /app/dist ./dist
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT || process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The standalone process; outside a loopback address it asks for AUTH=local or AUTH=jwt.
CMD ["node", "--enable-source-maps", "dist/bin/standalone.js"]
