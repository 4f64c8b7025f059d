# syntax=docker/dockerfile:1
# A bundle and Deno, nothing else: `docker build -t postern:0.1.0 .` For a release, pin the image by digest.
ARG DENO_VERSION=2.9.6
# V8's flags. The build uses them too, because V8 accepts a code cache only with the flags with which it was made.
ARG V8_FLAGS=--max-old-space-size=128,--initial-old-space-size=24,--max-semi-space-size=2,--no-allocation-site-pretenuring,--no-parallel-scavenge,--invocation-count-for-turbofan=1000,--expose-gc

FROM denoland/deno:${DENO_VERSION} AS build
WORKDIR /app
# Dependencies have a separate layer, which is built again only when the lock file changes.
COPY deno.json deno.lock ./
COPY site/deno.json site/
COPY tests/site/deno.json tests/site/
RUN deno install --frozen
COPY image image
COPY lib lib
COPY policies policies
# Packages that few starts need are a separate file (image/packages.ts), which the engine loads on demand.
RUN deno bundle --quiet --minify --format cjs --output packages.cjs image/packages.ts
# The package `yaml`, which keeps comments, is for `fix` alone, and the image has no `fix` (image/main.ts).
RUN deno bundle --quiet --minify --format cjs $(sed -n 's/^  "\([^"]*\)": .*/--external \1/p' image/packages.ts) \
  --external yaml --output engine.cjs image/main.ts
# The thread that checks sigstore bundles, so that the checks do not delay other requests. The first bundle starts it.
RUN deno bundle --quiet --minify --format cjs $(sed -n 's/^  "\([^"]*\)": .*/--external \1/p' image/packages.ts) \
  --output bundle_worker.cjs lib/registries/signatures/bundle_worker.ts
# image/engine.js runs these files as functions with the parameters of a CommonJS module. Wrapping the text at each start
# would take 2 ms. `import()` becomes `require.load()`.
RUN for file in engine bundle_worker packages; do \
  { printf '(function (exports, require, module, __filename, __dirname) {'; sed 's/import("/require.load("/g' $file.cjs; printf '\n})'; } > $file.function \
  && mv $file.function $file.cjs; done
# The thread that answers probes is a separate, small program.
RUN deno bundle --quiet --minify --output probes.js lib/listener/probe_worker.ts
RUN cp image/*.js .
# Lists the functions that a start calls before its first decision. The first of three starts makes a certificate, which a
# replica only reads, so its list is deleted.
RUN for start in 1 2 3; do deno run --no-code-cache --no-prompt --allow-net=127.0.0.1 --allow-env --allow-sys \
  --allow-read=. --allow-write=called_functions.json,certificates called_functions.js \
  serve --port 0 --metrics-port 0 --cert-dir certificates --policies policies; \
  [ $start -gt 1 ] || rm called_functions.json; done
ARG V8_FLAGS
RUN DENO_V8_FLAGS=$V8_FLAGS deno run --no-code-cache --allow-sys --allow-read=. --allow-write=engine.cache code_cache.js
# The code cache of Node's modules, which Deno reads from $DENO_DIR.
RUN DENO_V8_FLAGS=$V8_FLAGS DENO_DIR=written deno run runtime_modules.js \
  && deno run --no-code-cache --allow-read=. --allow-write=compiled runtime_cache.js written compiled && rm -r written

# The image's file system: Deno, and the C libraries with which it is linked, as the loader lists them. A base image would
# add 7 MB (compressed) of libraries that Deno does not use.
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
# The policies that are served unless others are mounted over them.
COPY policies /policies
# The root file system may be read-only: Postern writes nothing, not even caches. The V8 flags, and what they saved
# (docs/memory.md has the measurements):
# - max-old-space-size: the heap is smaller than the memory limit of deploy.yaml (256Mi). Change both together.
# - initial-old-space-size: V8 would collect the old generation in the middle of a start. Postern collects the garbage of
#   the start later (lib/heap/garbage.ts, with expose-gc).
# - no-allocation-site-pretenuring: V8 puts objects that it expects to live long into the old generation at once. For a
#   server that drops each request it guesses wrong, and then collects the old generation all the time: requests with CEL
#   took twice the processor time.
# - no-parallel-scavenge: a young generation this small (max-semi-space-size) is collected faster than other threads wake.
# - invocation-count-for-turbofan: V8 optimizes a function after some thousand calls, which a small cluster makes in a day.
# The C library has one arena for all threads, and maps buffers of 128 KiB and more separately, so that the system gets
# their memory back when they are freed.
ARG V8_FLAGS
ENV DENO_DIR=/app/compiled \
    DENO_NO_UPDATE_CHECK=1 \
    DENO_USE_CGROUPS=1 \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=131072 \
    DENO_V8_FLAGS=$V8_FLAGS
USER 65532:65532
EXPOSE 9443 8000
# The permissions of the process: it writes no files, runs no programs, and reads policies, certificates and the service
# account. Policies may call services and registries, so every address is allowed here; deploy.yaml allows only those that
# its policies name.
ENTRYPOINT ["/tini", "--", "/bin/deno", "run", "--no-prompt", "--cached-only", \
  "--allow-net", \
  "--allow-read=/app,/policies,/exceptions,/cluster,/tls,/var/run/secrets/kubernetes.io/serviceaccount", \
  "--allow-env=KUBERNETES_SERVICE_HOST,KUBERNETES_SERVICE_PORT,POD_NAME,POD_NAMESPACE,NO_COLOR,OTEL_DENO", \
  "/app/postern.js"]
CMD ["serve", "--policies", "/policies", "--host", "0.0.0.0"]
