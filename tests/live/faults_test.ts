/**
 * Faults of the API server and of the network, and their results for a look-up of a rule, for a watch, and for an
 * effect on another object. The table is `docs/faults.md`, which `UPDATE_GOLDEN=1` writes.
 */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { LiveCluster, LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import type { Ports } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { fakeServer, type ReceivedRequest, silence } from "../adapters/fake_server.ts";
import { cutAfter, faultyCluster, refusal } from "./faults/faulty_server.ts";
import { otherFaults } from "./faults/other_faults.ts";
import { quota, team } from "./faults/quota.ts";
import { runStreamFault, streamFaults } from "./faults/stream_faults.ts";
import { writeFaults, writers } from "./faults/write_faults.ts";
import { keptLog, portsWith, request } from "../background/setting.ts";

/** A fault, and how it is made: for so many requests, then the server is well again. */
interface FaultKind {
  readonly name: string;
  readonly times: number;
  readonly answer: (received: ReceivedRequest) => Response | Promise<Response>;
  /** Milliseconds after which a call is given up; so many that no busy machine reaches them when absent. */
  readonly attemptTimeout?: number;
  /** The result in words for the page, with the observed facts. */
  readonly lookUp: Seen;
  readonly watch: Seen;
  readonly effect: Seen;
}

/** The text for users, whether Postern recovers without help, and the requests of the kind that had the fault. */
type Seen = readonly [words: string, good: boolean, requests: number];

const status = (code: number, message: string, headers: Record<string, string> = {}) => () =>
  refusal(code, message, headers);
const cut = () => cutAfter('{"kind":"');

const again = "tried again within the request's time";
const anew = "planned again and retried, ten times in 50 seconds";
const listed = "listed again after a pause; policies stay in force meanwhile";

const faults: readonly FaultKind[] = [
  {
    name: "slow: no answer",
    times: 1,
    answer: silence,
    attemptTimeout: 700,
    lookUp: [`${again}; then the rule is an error and failurePolicy decides`, true, 2],
    watch: [listed, true, 2],
    effect: [anew, true, 2],
  },
  {
    name: "500, 502, 503, 504",
    times: 1,
    answer: status(503, "not now"),
    lookUp: [`${again}; then the rule is an error and failurePolicy decides`, true, 2],
    watch: [listed, true, 2],
    effect: [anew, true, 2],
  },
  {
    name: "429 with Retry-After",
    times: 1,
    answer: status(429, "too many", { "retry-after": "0" }),
    lookUp: ["tried again after the time in the answer", true, 2],
    watch: [listed, true, 2],
    effect: [anew, true, 2],
  },
  {
    name: "half-closed: the answer breaks off",
    times: 1,
    answer: cut,
    lookUp: [`${again}; then the rule is an error and failurePolicy decides`, true, 2],
    watch: [listed, true, 2],
    effect: [anew, true, 2],
  },
  {
    name: "401: the token expired",
    times: 1,
    answer: status(401, "Unauthorized"),
    lookUp: ["the token is read again from its file, and the call made again", true, 2],
    watch: ["the token is read again from its file, and the call made again", true, 2],
    effect: ["the token is read again from its file, and the call made again", true, 2],
  },
  {
    name: "403: a right is missing",
    times: 1_000,
    answer: status(403, "forbidden"),
    lookUp: ["the rule is an error at once, with the name of the right, and failurePolicy decides", false, 1],
    watch: ["listed again, with pauses of up to 30 seconds, until the right is granted", false, 2],
    effect: ["tried ten times; then it is an error in the log, an event and an UpdateRequest", false, 10],
  },
  {
    name: "409: a conflict",
    times: 1,
    answer: status(409, "the object has been modified"),
    lookUp: ["none: look-ups write nothing", false, 1],
    watch: ["none: watches write nothing", true, 2],
    effect: ["a creation counts as done; an update is planned again from the stored object", false, 1],
  },
  {
    name: "410: the version is too old, again and again",
    times: 3,
    answer: status(410, "Expired"),
    lookUp: ["none: look-ups have no version", false, 1],
    watch: ["listed from the beginning, after pauses that double up to 30 seconds", true, 4],
    effect: ["none: effects have no version; if it occurs, the effect is retried", true, 4],
  },
];

const inForce = { metadata: { name: "p", resourceVersion: "1", uid: "u" } };
const list = {
  kind: "ClusterPolicyList",
  apiVersion: "kyverno.io/v1",
  metadata: { resourceVersion: "1" },
  items: [inForce],
};

/** A live cluster behind a server that has the fault for requests of a kind, and counts them. */
function faulty(
  fault: FaultKind,
  isConcerned: (received: ReceivedRequest) => boolean,
  well: (received: ReceivedRequest) => Promise<Response>,
) {
  let concerned = 0;
  const server = fakeServer((received) => {
    if (!isConcerned(received)) return well(received);
    return concerned++ < fault.times ? fault.answer(received) : well(received);
  });
  const clock = systemClock(), entropy = countingEntropy();
  let read = 0;
  const endpoint = { server: server.address, tokenFile: "/token" };
  const readText = () => Promise.resolve(`token-${read++}`);
  const cluster = LiveCluster.connect(endpoint, {
    clock,
    entropy,
    readText,
    firstDelay: 1,
    attemptTimeout: 150,
  });
  assert.ok(!isFault(cluster), isFault(cluster) ? cluster.message : "");
  return { cluster, clock, entropy, server, concerned: () => concerned };
}

async function lookUp(fault: FaultKind): Promise<[boolean, number]> {
  const found = () => Promise.resolve(Response.json({ kind: "ConfigMap" }));
  const { cluster, server, concerned } = faulty(fault, () => true, found);
  const answer = await cluster.call({ method: "GET", path: "/api/v1/namespaces/a/configmaps/x" });
  cluster.close();
  await server.close();
  return [answer.ok, concerned()];
}

async function watch(fault: FaultKind): Promise<[boolean, number]> {
  const well = ({ path }: ReceivedRequest): Promise<Response> =>
    Promise.resolve(path.includes("watch=true") ? new Response(new ReadableStream({})) : Response.json(list));
  const { cluster, clock, entropy, server, concerned } = faulty(
    fault,
    ({ path }) => !path.includes("watch=true"),
    well,
  );
  const collections = new LiveCollections({ cluster, clock, entropy });
  const collection = collections.watch("/apis/kyverno.io/v1/clusterpolicies", () => {});
  const until = Date.now() + 20_000;
  const isDone = () => collection.objects().length > 0 || fault.times > 100 && concerned() >= 2;
  while (!isDone() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
  const names = collection.objects().map(nameOf);
  await collection.close();
  cluster.close();
  await server.close();
  return [names.length > 0, concerned()];
}

async function effect(fault: FaultKind): Promise<[boolean, number]> {
  const { ports } = portsWith("{apiVersion: v1, kind: Namespace, metadata: {name: team, uid: u-team}}");
  const inner = new EmbeddedCluster({ objects: [team as Json], clock: ports.clock, entropy: ports.entropy });
  const well = async ({ method, path, body }: ReceivedRequest): Promise<Response> => {
    const answer = await inner.call({
      method: method as "GET",
      path,
      ...(body !== "" && { body: JSON.parse(body) as Json }),
    });
    const text = answer.ok ? answer.body : answer.body ?? { kind: "Status", message: answer.message };
    return Response.json(text, { status: answer.status ?? 500 });
  };
  const { cluster, server, concerned } = faulty(fault, ({ method }) => method === "POST", well);
  const live: Ports = { ...ports, cluster };
  const worker = new BackgroundWorker({
    snapshot: () => quota,
    ports: live,
    log: keptLog(),
    wait: () => Promise.resolve(),
  });
  worker.add(request(team));
  await worker.drain();
  await worker.close();
  const made = await inner.call({ method: "GET", path: "/api/v1/namespaces/team/configmaps/c" });
  cluster.close();
  await server.close();
  return [made.ok, concerned()];
}

const subjects = { lookUp, watch, effect } as const;
for (const fault of faults) {
  for (const subject of ["lookUp", "watch", "effect"] as const) {
    const [words, good, requests] = fault[subject];
    Deno.test(`${fault.name}, ${subject}: ${words}`, async () => {
      const [isGood, seen] = await subjects[subject](fault);
      assert.equal(isGood, good);
      // A busy machine may take well answers for slow ones.
      if (fault.attemptTimeout !== undefined) assert.ok(seen >= requests);
      else assert.equal(seen, requests);
    });
  }
}

for (const fault of streamFaults) {
  Deno.test(`a watch, ${fault.name}: ${fault.words}`, () => runStreamFault(fault));
}

for (const writer of writers) {
  for (const [index, fault] of writeFaults.entries()) {
    Deno.test(`a write of ${writer.name}, ${fault.name}: ${writer.words[index]}`, async () => {
      const cluster = faultyCluster(writer.objects, fault);
      await writer.run(cluster, fault);
      await cluster.close();
    });
  }
}

for (const { name, file, title } of otherFaults) {
  Deno.test(`${name}: the test that the page names exists`, async () => {
    assert.ok((await Deno.readTextFile(new URL(`../../${file}`, import.meta.url))).includes(title));
  });
}

Deno.test("docs/faults.md agrees with the observed behaviour", async () => {
  const page = new URL("../../docs/faults.md", import.meta.url);
  const rows = faults.map(({ name, lookUp: [first], watch: [second], effect: [third] }) =>
    `| ${name} | ${first} | ${second} | ${third} |`
  );
  const text = [
    "# Faults of the API server",
    "",
    "What happens when the API server, or the way to it, has a fault. Every cell is a test with a real connection to a server that",
    "has the fault (`tests/live/faults_test.ts`, which writes this page). While policies cannot be read, those that are in force stay",
    "in force; a request that needs no look-up is answered as always.",
    "",
    "| fault | a look-up of a rule | policies and other watched objects | an effect on another object |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "## A watch that has begun",
    "",
    "A watch sends events for hours. When it fails, what was read before stays in force.",
    "",
    "| fault | result |",
    "| --- | --- |",
    ...streamFaults.map(({ name, words }) => `| ${name} | ${words} |`),
    "",
    "## Writes",
    "",
    "The first write has the fault, then the API server is well again. Events are the exception: one that cannot be written is left",
    "out, with a warning in the log.",
    "",
    `| write of | ${writeFaults.map(({ name }) => name).join(" | ")} |`,
    `| --- |${" --- |".repeat(writeFaults.length)}`,
    ...writers.map(({ name, words }) => `| ${name} | ${words.join(" | ")} |`),
    "",
    "## Other disturbances",
    "",
    "| what happens | result | test |",
    "| --- | --- | --- |",
    ...otherFaults.map(({ name, words, file }) => `| ${name} | ${words} | \`${file}\` |`),
    "",
  ].join("\n");
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(page, text);
  // `deno fmt` pads the table.
  const plain = (padded: string): string => padded.replace(/\s+/g, " ").replace(/-{3,}/g, "---");
  assert.equal(plain(await Deno.readTextFile(page)), plain(text));
});
