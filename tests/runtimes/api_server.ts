/** An embedded cluster behind HTTP: what a bundle takes for its API server. */
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { systemClock, systemEntropy } from "../../lib/adapters/mod.ts";
import { type Json, parseJson } from "../../lib/json/mod.ts";
import type { ApiCall, Cluster } from "../../lib/ports.ts";
import { type FakeServer, fakeServer } from "../adapters/fake_server.ts";

/** The server, and the cluster behind it. */
export interface ApiServer extends FakeServer {
  readonly cluster: Cluster;
}

/** Starts a server that holds the objects. Close it. */
export function apiServer(objects: readonly Json[]): ApiServer {
  const cluster = new EmbeddedCluster({ objects, clock: systemClock(), entropy: systemEntropy() });
  const server = fakeServer(async ({ method, path, headers, body }) => {
    const contentType = headers.get("content-type");
    const answer = await cluster.call({
      method: method as ApiCall["method"],
      path,
      ...(body !== "" && { body: parseJson(body) as Json }),
      ...(contentType !== null && { contentType }),
    });
    return Response.json(answer.body ?? null, { status: answer.status ?? 500 });
  });
  return { ...server, cluster };
}
