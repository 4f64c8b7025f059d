/** Faults of a watch that has begun: the objects afterwards, and the calls that read them. */
import assert from "node:assert/strict";
import { LiveCluster, LiveCollections, systemClock } from "../../../lib/adapters/mod.ts";
import { isFault, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { nameOf } from "../../../lib/kube/mod.ts";
import { countingEntropy } from "../../adapters/fakes.ts";
import { fakeServer } from "../../adapters/fake_server.ts";
import { cutAfter, eventually } from "./faulty_server.ts";

/** A fault of a stream of events. */
export interface StreamFault {
  readonly name: string;
  readonly words: string;
  /** The first watch's answer. */
  readonly stream: () => Response;
  /** The calls that follow it. */
  readonly calls: readonly string[];
}

function policy(name: string, resourceVersion: string): Json {
  return { apiVersion: "kyverno.io/v1", kind: "ClusterPolicy", metadata: { name, resourceVersion } };
}

const added = (name: string, version: string): string =>
  `${JSON.stringify({ type: "ADDED", object: policy(name, version) })}\n`;
const failed = (code: number): string =>
  `${JSON.stringify({ type: "ERROR", object: { kind: "Status", apiVersion: "v1", code } })}\n`;
const half = added("late", "12").slice(0, 40);

const from = (version: string): string => `watch from ${version}`;
const rewatched = "watched again from the last whole event, after a pause that doubles up to 10 seconds";
const relisted = "listed again after a pause; deletions in between are detected";

/** The faults, in the order of the page. */
export const streamFaults: readonly StreamFault[] = [
  {
    name: "the connection breaks in the middle of an event",
    words: rewatched,
    stream: () => cutAfter(added("early", "11") + half),
    calls: ["list", from("10"), from("11")],
  },
  {
    name: "the stream ends in the middle of an event",
    words: rewatched,
    stream: () => new Response(added("early", "11") + half),
    calls: ["list", from("10"), from("11")],
  },
  {
    name: "the stream ends behind an event",
    words: "watched again from that event, after a pause when the watch was short",
    stream: () => new Response(added("early", "11")),
    calls: ["list", from("10"), from("11")],
  },
  {
    name: "an ERROR event with 410: the version is too old",
    words: relisted,
    stream: () => new Response(added("early", "11") + failed(410)),
    calls: ["list", from("10"), "list", from("20")],
  },
  {
    name: "an ERROR event with 500",
    words: relisted,
    stream: () => new Response(failed(500)),
    calls: ["list", from("10"), "list", from("20")],
  },
  {
    name: "an event about an object of another kind or namespace",
    words: relisted,
    stream: () =>
      new Response(
        JSON.stringify({ type: "ADDED", object: { ...policy("pod", "11") as JsonObject, kind: "Pod" } }) +
          "\n",
      ),
    calls: ["list", from("10"), "list", from("20")],
  },
  {
    name: "a line that is no JSON",
    words: rewatched,
    stream: () => new Response(`${added("early", "11")}<html>\n`),
    calls: ["list", from("10"), from("11")],
  },
];

/**
 * Follows policies through the fault; in the end the policies are those of the server, and each change was noticed
 * once.
 */
export async function runStreamFault({ stream, calls: expected }: StreamFault): Promise<void> {
  const calls: string[] = [];
  const server = fakeServer(({ path }) => {
    const version = /resourceVersion=(\d+)/.exec(path)?.[1];
    if (!path.includes("watch=true")) {
      const isFirst = !calls.includes("list");
      calls.push("list");
      return Response.json({
        kind: "ClusterPolicyList",
        apiVersion: "kyverno.io/v1",
        metadata: { resourceVersion: isFirst ? "10" : "20" },
        items: isFirst
          ? [policy("always", "1"), policy("gone", "2")]
          : [policy("always", "1"), policy("early", "11")],
      });
    }
    calls.push(from(version ?? ""));
    if (calls.filter((each) => each.startsWith("watch")).length === 1) return stream();
    const events = `${JSON.stringify({ type: "DELETED", object: policy("gone", "12") })}\n${
      added("late", "21")
    }`;
    return new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(events)) }),
    );
  });
  const clock = systemClock(), entropy = countingEntropy();
  const cluster = LiveCluster.connect({ server: server.address }, { clock, entropy });
  assert.ok(!isFault(cluster));
  const changes: string[] = [];
  const collection = new LiveCollections({ cluster, clock, entropy }).watch(
    "/apis/kyverno.io/v1/clusterpolicies",
    ({ object, former }) =>
      void changes.push(object === undefined ? `-${nameOf(former!)}` : `+${nameOf(object)}`),
  );
  await eventually("the last event", () => collection.objects().map(nameOf).includes("late"));
  assert.deepEqual(collection.objects().map(nameOf).sort(), ["always", "early", "late"]);
  assert.deepEqual(changes.sort(), ["+always", "+early", "+gone", "+late", "-gone"]);
  assert.deepEqual(calls, expected);
  await collection.close();
  cluster.close();
  await server.close();
}
