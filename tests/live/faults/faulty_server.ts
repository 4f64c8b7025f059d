/** A live cluster behind a real connection to an API server in memory that has a fault for some requests. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../../lib/embedded/mod.ts";
import { LiveCluster, systemClock } from "../../../lib/adapters/mod.ts";
import { isFault, type Json } from "../../../lib/json/mod.ts";
import { countingEntropy } from "../../adapters/fakes.ts";
import { type FakeServer, fakeServer, type ReceivedRequest } from "../../adapters/fake_server.ts";

/** How the server treats a request with the fault; `carryOut` does what was requested. */
export type FaultyAnswer = (carryOut: () => Promise<Response>) => Response | Promise<Response>;

/** The answer of an API server that refuses a request with a status. */
export function refusal(code: number, message = "failed", headers: Record<string, string> = {}): Response {
  return Response.json({ kind: "Status", apiVersion: "v1", status: "Failure", message, code }, {
    status: code,
    headers,
  });
}

/** An answer whose connection is cut after this text. */
export function cutAfter(text: string): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        setTimeout(() => controller.error(new Error("cut")), 5);
      },
    }),
  );
}

/** A cluster whose writes are well until one meets a fault. */
export interface FaultyCluster {
  readonly live: LiveCluster;
  /** The API server in memory behind the connection. */
  readonly stored: EmbeddedCluster;
  /** Lets the next write meet the fault. */
  begin(): void;
  /** How many writes arrived since. */
  writes(): number;
  close(): Promise<void>;
}

/** A cluster that holds objects. */
export function faultyCluster(
  objects: readonly Json[],
  { answer, attemptTimeout }: { readonly answer: FaultyAnswer; readonly attemptTimeout?: number },
): FaultyCluster {
  const clock = systemClock(), entropy = countingEntropy();
  const stored = new EmbeddedCluster({ objects: [...objects], clock, entropy });
  let writes = 0, isFaulty = false;
  const carryOut = async ({ method, path, body, headers }: ReceivedRequest): Promise<Response> => {
    const done = await stored.call({
      method: method as "GET",
      path,
      ...(body !== "" && { body: JSON.parse(body) as Json }),
      ...(method === "PATCH" &&
        { contentType: headers.get("content-type") as "application/merge-patch+json" }),
    });
    const content = done.ok ? done.body : done.body ?? { kind: "Status", message: done.message };
    return Response.json(content, { status: done.status ?? 500 });
  };
  const server: FakeServer = fakeServer((received) => {
    if (received.method === "GET") return carryOut(received);
    writes++;
    if (!isFaulty) return carryOut(received);
    isFaulty = false;
    return answer(() => carryOut(received));
  });
  const live = LiveCluster.connect({ server: server.address }, {
    clock,
    entropy,
    firstDelay: 1,
    ...(attemptTimeout !== undefined && { attemptTimeout }),
  });
  assert.ok(!isFault(live));
  return {
    live,
    stored,
    writes: () => writes,
    begin() {
      isFaulty = true;
      writes = 0;
    },
    async close() {
      live.close();
      await server.close();
    },
  };
}

/** Waits until something holds; fails after twenty seconds. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 20_000; Date.now() < until;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never: ${what}`);
}
