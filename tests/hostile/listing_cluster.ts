/** An API server with long lists, for tests of the memory that they take. */
import { join } from "node:path";
import { madeCertificates } from "../../lib/certificates/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { type FakeServer, fakeServer } from "../adapters/fake_server.ts";

/** Characters of a ConfigMap, near the limit of the API server. */
const mapLength = 1_000_000;
/** The length of the longest list that the API server sends in tests. */
export const longest = 28_000_000;

/** A list of ConfigMaps with so many characters; each has a text, which ends with an "ω", or a list of empty maps. */
export function listOf(length: number, content: "text" | "wide text" | "empty maps" = "text"): Uint8Array[] {
  const data = {
    "text": `"${"x".repeat(mapLength)}"`,
    "wide text": `"${"x".repeat(mapLength)}ω"`,
    "empty maps": `[${"{},".repeat(mapLength / 3)}{}]`,
  }[content];
  const item = `{"metadata":{"name":"map","namespace":"default"},"data":{"a":${data}}}`;
  const pieces = [`{"kind":"ConfigMapList","apiVersion":"v1","items":[${item}`];
  for (let rest = length - mapLength; rest > 0; rest -= mapLength) pieces.push(`,${item}`);
  pieces.push("]}");
  const encoder = new TextEncoder(), encoded = new Map<string, Uint8Array>();
  return pieces.map((piece) => {
    const bytes = encoded.get(piece) ?? encoder.encode(piece);
    encoded.set(piece, bytes);
    return bytes;
  });
}

/** The answer with these pieces; between them it pauses some milliseconds. */
export function answerOf(pieces: readonly Uint8Array[], pause = 0): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (next < pieces.length) controller.enqueue(pieces[next++]!);
      else controller.close();
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** The Pod at a path. */
function storedPod(path: string): Response | undefined {
  const [, name] = /^\/api\/v1\/namespaces\/default\/pods\/([^/]+)$/.exec(path) ?? [];
  return name === undefined ? undefined : Response.json(podNamed(name));
}

export function podNamed(name: string): JsonObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", uid: name }, spec: {} };
}

/** A cluster with Pods of every name, and with lists of ConfigMaps by their paths; everything else is not found. */
export class ListingCluster implements AsyncDisposable {
  readonly #server: FakeServer;
  readonly #folder: string;

  private constructor(server: FakeServer, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  static async start(
    lists: Readonly<Record<string, () => Response | Promise<Response>>>,
    otherwise: (path: string) => Promise<Response> | undefined = () => undefined,
  ): Promise<ListingCluster> {
    const { certificate } = await madeCertificates({ names: ["127.0.0.1"], clock: { now: Date.now } })
      .current();
    const { cert, key, caBundle = "" } = certificate!;
    const server = fakeServer(
      ({ path, method }) =>
        lists[path]?.() ?? (method === "GET" ? storedPod(path) : undefined) ??
          otherwise(path) ?? new Response(null, { status: 404 }),
      { cert, key },
    );
    const folder = await Deno.makeTempDir({ prefix: "postern-answers-" });
    const named = (name: string, value: Json) => [{ name: "fake", [name]: value }];
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "fake",
      clusters: named("cluster", { server: server.address, "certificate-authority-data": caBundle }),
      users: named("user", { token: "test" }),
      contexts: named("context", { cluster: "fake", user: "fake" }),
    };
    await Deno.writeTextFile(join(folder, "kubeconfig"), JSON.stringify(config));
    return new ListingCluster(server, folder);
  }

  get kubeconfig(): string {
    return join(this.#folder, "kubeconfig");
  }

  received(path: string): number {
    return this.#server.received.filter((each) => each.path === path).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await Deno.remove(this.#folder, { recursive: true });
  }
}
