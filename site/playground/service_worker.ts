/**
 * Keeps the playground for use without a network: all its files when it is first opened, by their names with hashes.
 */

declare const FILES: readonly string[];
declare const VERSION: string;

/** The members of a service worker's global scope that a page lacks. */
interface WorkerScope {
  addEventListener(name: string, listener: (event: WorkerEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

interface WorkerEvent extends Event {
  readonly request: Request;
  waitUntil(promise: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}

const scope = globalThis as unknown as WorkerScope;
const prefix = "postern-playground-";
const name = prefix + VERSION;

scope.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(name).then((cache) => cache.addAll([...FILES])).then(() => scope.skipWaiting()),
  );
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys()
      .then((names) => names.filter((each) => each.startsWith(prefix) && each !== name))
      .then((old) => Promise.all(old.map((each) => caches.delete(each))))
      .then(() => scope.clients.claim()),
  );
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(answer(request));
});

/** The page itself comes from the network while there is one, so that a new version is seen at once. */
async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(name);
  if (request.mode !== "navigate") return await cache.match(request) ?? await fetch(request);
  try {
    return await fetch(request);
  } catch {
    return await cache.match("./") ?? Response.error();
  }
}
