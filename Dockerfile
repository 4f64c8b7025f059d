# syntax=docker/dockerfile:1
# A bundle and Deno, nothing else: `docker build -t postern:0.1.0 .` For a release, pin the image by digest.
ARG DENO_VERSION=2.9.6
# V8's settings, also of the build: a code cache is taken only with the settings it was made with.
ARG V8_FLAGS=--max-old-space-size=128,--initial-old-space-size=24,--max-semi-space-size=2,--no-allocation-site-pretenuring,--no-parallel-scavenge,--invocation-count-for-turbofan=1000,--expose-gc

FROM denoland/deno:${DENO_VERSION} AS build
WORKDIR /app
# Dependencies in a layer of their own: it is made again only when the lock file changes.
COPY deno.json deno.lock ./
COPY site/deno.json site/
COPY tests/site/deno.json tests/site/
RUN deno install --frozen
COPY image image
COPY lib lib
COPY policies policies
# Packages that few starts need are a file of their own (image/packages.ts), and the engine imports them.
RUN deno bundle --quiet --minify --format cjs --output packages.cjs image/packages.ts
# `yaml`, which keeps comments, is for `fix` alone, which the image does not have (image/main.ts).
RUN deno bundle --quiet --minify --format cjs $(sed -n 's/^  "\([^"]*\)": .*/--external \1/p' image/packages.ts) \
  --external yaml --output engine.cjs image/main.ts
# The thread that checks sigstore bundles of images, which would hold up other requests; it starts with the first of them.
RUN deno bundle --quiet --minify --format cjs $(sed -n 's/^  "\([^"]*\)": .*/--external \1/p' image/packages.ts) \
  --output bundle_worker.cjs lib/registries/signatures/bundle_worker.ts
# As image/engine.js runs them: functions that take what a CommonJS module gets, and nothing else, so they require what they
# import. To put the text together at each start would take 2 ms.
RUN for file in engine bundle_worker packages; do \
  { printf '(function (exports, require, module, __filename, __dirname) {'; sed 's/import("/require.load("/g' $file.cjs; printf '\n})'; } > $file.function \
  && mv $file.function $file.cjs; done
# The thread of probes is a program of its own, and a small one.
RUN deno bundle --quiet --minify --output probes.js lib/listener/probe_worker.ts
RUN cp image/*.js .
# What three starts call up to a decision. The first makes a certificate, which a replica finds; so it does not count.
RUN for start in 1 2 3; do deno run --no-code-cache --no-prompt --allow-net=127.0.0.1 --allow-env --allow-sys \
  --allow-read=. --allow-write=called_functions.json,certificates called_functions.js \
  serve --port 0 --metrics-port 0 --cert-dir certificates --policies policies; \
  [ $start -gt 1 ] || rm called_functions.json; done
ARG V8_FLAGS
RUN DENO_V8_FLAGS=$V8_FLAGS deno run --no-code-cache --allow-sys --allow-read=. --allow-write=engine.cache code_cache.js
# What V8 makes of Node's modules: Deno itself keeps that in $DENO_DIR.
RUN DENO_V8_FLAGS=$V8_FLAGS DENO_DIR=written deno run runtime_modules.js \
  && deno run --no-code-cache --allow-read=. --allow-write=compiled runtime_cache.js written compiled && rm -r written

# The image's file system: Deno, and the C libraries that the loader says it is linked with. A base image would add
# libraries that Deno does not use, 7 MB of them when compressed.
RUN mkdir -p /runtime/bin /runtime/etc && cp /usr/bin/deno /runtime/bin/deno && cp /tini /runtime/tini \
  && LD_TRACE_LOADED_OBJECTS=1 /usr/bin/deno | grep -o '/[^ ]*' | xargs cp -L --parents -t /runtime \
  && echo 'hosts: files dns' > /runtime/etc/nsswitch.conf

FROM scratch
LABEL org.opencontainers.image.title="Postern" \
      org.opencontainers.image.description="A small gate for a Kubernetes cluster: Kyverno's policies, one process" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /runtime /
WORKDIR /app
COPY --from=build /app/engine.cjs /app/engine.cache /app/packages.cjs /app/bundle_worker.cjs /app/bundle_worker.js /app/probes.js /app/engine.js /app/postern.js ./
COPY --from=build /app/compiled/v8_code_cache_v2 /app/compiled/v8_code_cache_v2-wal /app/compiled/v8_code_cache_v2-shm compiled/
# What is served when nothing is mounted over it.
COPY policies /policies
# The root file system may be read-only: nothing is written, not even caches. The heap ends before the memory limit of
# deploy.yaml (256Mi) does; give DENO_V8_FLAGS another number together with another limit. What was measured of one arena
# for all threads and a small young generation stands in docs/memory.md. Buffers of 128 KiB and more are mapped by themselves,
# so that the system has them back when they are freed. V8 would also guess which objects live long and
# put them into the old generation at once; of a server that forgets each request it guesses wrong, and then collects the old
# generation all the time: requests with CEL took twice the processor time. A young generation this small is collected by
# the thread that made it: to wake others takes longer. V8 would collect the old generation in the middle of a start, too:
# its first size keeps V8 from that, and Postern itself lets V8 collect what the start left (lib/host/heap.ts). V8 makes its
# fastest code of a function after some thousand calls, for which a small cluster needs a day: here after 1,000.
ARG V8_FLAGS
ENV DENO_DIR=/app/compiled \
    DENO_NO_UPDATE_CHECK=1 \
    DENO_USE_CGROUPS=1 \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=131072 \
    DENO_V8_FLAGS=$V8_FLAGS
USER 65532:65532
EXPOSE 9443 8000
# What the process may do, and nothing else: no writing, no running, and of the file system policies, certificates and
# the service account. Policies may call services and registries, so the network is open here; deploy.yaml closes it
# down to what its policies name.
ENTRYPOINT ["/tini", "--", "/bin/deno", "run", "--no-prompt", "--cached-only", \
  "--allow-net", \
  "--allow-read=/app,/policies,/exceptions,/cluster,/tls,/var/run/secrets/kubernetes.io/serviceaccount", \
  "--allow-env=KUBERNETES_SERVICE_HOST,KUBERNETES_SERVICE_PORT,POD_NAME,POD_NAMESPACE,NO_COLOR,OTEL_DENO", \
  "/app/postern.js"]
CMD ["serve", "--policies", "/policies", "--host", "0.0.0.0"]
