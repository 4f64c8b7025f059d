/** Collections kept at hand by watching: against a fake server step by step, and a real one where there is one. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import {
  type FollowedCluster,
  jsonLog,
  kubeconfigEndpoint,
  LiveCluster,
  systemClock,
  WatchedCluster,
  type WatchedClusterOptions,
} from "../../lib/adapters/mod.ts";
import { asList, dig, field, isFault, type Json } from "../../lib/json/mod.ts";
import { countingEntropy } from "./fakes.ts";

const namespace = (name: string, label = "1", resourceVersion = "1"): Json => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, resourceVersion, labels: { label }, managedFields: [{ manager: "x" }] },
});

/** One watch that a test feeds. */
class Feed {
  readonly lines: string[] = [];
  #wake: () => void = () => {};
  #ended = false;

  send(type: string, object: Json): void {
    this.raw(JSON.stringify({ type, object }));
  }

  raw(line: string): void {
    this.lines.push(line);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<string> {
    signal.addEventListener("abort", () => this.end());
    for (;;) {
      while (this.lines.length > 0) yield this.lines.shift()!;
      if (this.#ended) return;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}

interface Trial {
  readonly watched: WatchedCluster;
  readonly held: EmbeddedCluster;
  /** The watches, in the order in which they were opened, by the resourceVersion that they began with. */
  readonly feeds: { readonly path: string; readonly feed: Feed }[];
  readonly calls: string[];
  readonly log: string[];
}

function watchTest(
  title: string,
  { objects = [], options, refuses, run }: {
    readonly objects?: Json[];
    readonly options?: Partial<WatchedClusterOptions>;
    /** "versions": watches from a version that the cluster never had. */
    readonly refuses?: "list" | "watch" | "versions";
    readonly run: (trial: Trial) => Promise<void>;
  },
): void {
  Deno.test(`watched cluster: ${title}`, async () => {
    const clock = systemClock(), entropy = countingEntropy();
    const held = new EmbeddedCluster({ objects, clock, entropy });
    const trial: Omit<Trial, "watched"> = { held, feeds: [], calls: [], log: [] };
    const forbidden = { ok: false, status: 403, message: "no" } as const;
    const cluster: FollowedCluster = {
      call(call) {
        trial.calls.push(call.path);
        if (refuses === "list" && call.path.includes("limit=")) return Promise.resolve(forbidden);
        return held.call(call);
      },
      resource: (apiVersion, kind) => held.resource(apiVersion, kind),
      follow(path, signal) {
        if (refuses === "watch") return Promise.resolve(forbidden);
        const version = new URL(path, "https://cluster").searchParams.get("resourceVersion") ?? "";
        if (refuses === "versions" && !/^\d{1,6}$/.test(version)) {
          return Promise.resolve({
            ok: false,
            status: version.startsWith("-") ? 400 : 422,
            message: "version",
          });
        }
        const feed = new Feed();
        trial.feeds.push({ path, feed });
        return Promise.resolve({ ok: true, lines: feed.read(signal) });
      },
    };
    const log = jsonLog({ clock, write: (line) => trial.log.push(JSON.parse(line).message) });
    const watched = new WatchedCluster({
      cluster,
      clock,
      entropy,
      log,
      paths: ["/api/v1/namespaces"],
      ...options,
    });
    try {
      await run({ ...trial, watched });
    } finally {
      await watched.close();
    }
  });
}

async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never: ${what}`);
}

async function read({ watched }: Trial, path: string): Promise<Json> {
  const answer = await watched.call({ method: "GET", path });
  assert.ok(answer.ok, answer.ok ? "" : answer.message);
  return answer.body;
}

async function names(trial: Trial): Promise<unknown[]> {
  const list = await read(trial, "/api/v1/namespaces");
  assert.equal(field(list, "kind"), "NamespaceList");
  return asList(field(list, "items")).map((item) => dig(item, "metadata", "name")).sort();
}

const isOpen = async (trial: Trial): Promise<void> => {
  await eventually("the watch is open", async () => {
    const before = trial.calls.length;
    await trial.watched.call({ method: "GET", path: "/api/v1/namespaces" });
    return trial.calls.length === before;
  });
  trial.calls.length = 0;
};

watchTest("reads come from memory and follow watch events", {
  objects: [namespace("a"), namespace("b")],
  async run(trial) {
    await isOpen(trial);
    const { feeds, calls } = trial;
    assert.deepEqual(await names(trial), ["a", "b"]);
    feeds[0]!.feed.send("ADDED", namespace("c", "1", "10"));
    feeds[0]!.feed.send("MODIFIED", namespace("a", "2", "11"));
    feeds[0]!.feed.send("DELETED", namespace("b", "1", "12"));
    feeds[0]!.feed.send("BOOKMARK", { kind: "Namespace", metadata: { resourceVersion: "20" } });
    await eventually("the events are in", async () => (await names(trial)).join() === "a,c");
    const one = await read(trial, "/api/v1/namespaces/a");
    assert.deepEqual(one, {
      kind: "Namespace",
      apiVersion: "v1",
      metadata: { name: "a", resourceVersion: "11", labels: { label: "2" } },
    });
    assert.deepEqual(calls, []);
  },
});

watchTest("objects outside the watches are read from the cluster", {
  objects: [namespace("a")],
  async run(trial) {
    await isOpen(trial);
    const paths = [
      "/api/v1/namespaces/missing",
      "/api/v1/namespaces?limit=1",
      "/api/v1/namespaces/a/status",
      "/api/v1/namespaces/a/configmaps",
      "/version",
    ];
    for (const path of paths) await trial.watched.call({ method: "GET", path });
    await trial.watched.call({ method: "DELETE", path: "/api/v1/namespaces/a" });
    assert.deepEqual(trial.calls, [...paths, "/api/v1/namespaces/a"]);
    assert.equal((await trial.watched.resource("v1", "Pod"))?.plural, "pods");
  },
});

watchTest("an ended watch resumes, and meanwhile reads go to the cluster", {
  objects: [namespace("a")],
  async run(trial) {
    await isOpen(trial);
    trial.feeds[0]!.feed.send("BOOKMARK", { metadata: { resourceVersion: "77" } });
    trial.feeds[0]!.feed.end();
    await eventually("a second watch", () => trial.feeds.length === 2);
    assert.match(trial.feeds[1]!.path, /resourceVersion=77$/);
    assert.ok(!trial.calls.some((path) => path.includes("limit=")));
    await isOpen(trial);
  },
});

watchTest("an expired resourceVersion leads to a new list", {
  objects: [namespace("a")],
  async run(trial) {
    await isOpen(trial);
    await trial.held.call({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { metadata: { name: "new" } },
    });
    trial.feeds[0]!.feed.send("ERROR", { kind: "Status", code: 410 });
    await eventually("a second watch", () => trial.feeds.length === 2);
    await isOpen(trial);
    assert.deepEqual(await names(trial), ["a", "new"]);
  },
});

watchTest("an unreadable event ends the watch and not the process", {
  objects: [namespace("a")],
  async run(trial) {
    await isOpen(trial);
    trial.feeds[0]!.feed.raw("{broken");
    await eventually("a second watch", () => trial.feeds.length === 2);
    await isOpen(trial);
  },
});

watchTest("events that are about no object change nothing, and the watch goes on", {
  objects: [namespace("a")],
  async run(trial) {
    await isOpen(trial);
    const { feed } = trial.feeds[0]!;
    feed.raw("null");
    feed.raw("[]");
    feed.raw(`{"type":"ADDED","object":null}`);
    feed.raw(`{"type":"MODIFIED"}`);
    feed.send("ADDED", { kind: "Namespace", metadata: { resourceVersion: "5" } });
    feed.send("ADDED", { kind: "Namespace", metadata: { name: ["x"], resourceVersion: "6" } });
    feed.send("DELETED", { kind: "Namespace" });
    feed.send("DELETED", namespace("never", "1", "7"));
    feed.send("RENAMED", namespace("unexpected", "1", "8"));
    for (let version = 10; version < 2_000; version++) feed.send("ADDED", namespace("b", "1", `${version}`));
    await eventually("the events are in", () => feed.lines.length === 0);
    await eventually("the last event is in", async () => (await names(trial)).includes("b"));
    assert.deepEqual(await names(trial), ["a", "b"]);
    assert.equal(trial.feeds.length, 1);
  },
});

const otherObjects: readonly (readonly [what: string, path: string, object: Json])[] = [
  ["another kind", "/api/v1/namespaces", { apiVersion: "v1", kind: "Node", metadata: { name: "x" } }],
  ["another API group", "/api/v1/namespaces", {
    apiVersion: "example.com/v1",
    kind: "Namespace",
    metadata: { name: "x" },
  }],
  ["another namespace", "/api/v1/namespaces/a/configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "x", namespace: "b" },
  }],
];
for (const [what, path, object] of otherObjects) {
  watchTest(`an event about an object of ${what} changes nothing, and the objects are listed again`, {
    objects: [namespace("a"), namespace("b")],
    options: { paths: [path] },
    async run({ watched, feeds, calls }) {
      const listed = async () => {
        const answer = await watched.call({ method: "GET", path });
        return asList(answer.ok ? field(answer.body, "items") : null).length;
      };
      const before = await listed();
      await eventually("the watch is open", () => feeds.length === 1);
      feeds[0]!.feed.send("ADDED", object);
      calls.length = 0;
      await eventually("a second list", () => calls.some((each) => each.includes("limit=")));
      await eventually("a second watch", () => feeds.length === 2);
      assert.equal(await listed(), before);
    },
  });
}

for (const version of ["-1", "99999999999999999999999", "1&timeoutSeconds=0", "\ud800"]) {
  watchTest(
    `the watch after the resourceVersion ${JSON.stringify(version)} lists again when it is rejected`,
    {
      objects: [namespace("a")],
      refuses: "versions",
      async run(trial) {
        await isOpen(trial);
        trial.feeds[0]!.feed.send("BOOKMARK", { metadata: { resourceVersion: version } });
        trial.feeds[0]!.feed.end();
        await eventually(
          "a list after the rejection",
          () => trial.calls.some((path) => path.includes("limit=")),
        );
        await isOpen(trial);
        assert.deepEqual(await names(trial), ["a"]);
      },
    },
  );
}

watchTest("a collection is listed when it is first read", {
  objects: [namespace("a")],
  async run(trial) {
    await read(trial, "/api/v1/pods");
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(trial.calls, ["/api/v1/pods"]);
    await read(trial, "/api/v1/namespaces/a");
    await isOpen(trial);
  },
});

for (const refuses of ["list", "watch"] as const) {
  watchTest(`without the right to ${refuses} reads go to the cluster, with a log line`, {
    objects: [namespace("a")],
    refuses,
    async run(trial) {
      await read(trial, "/api/v1/namespaces");
      await eventually("a word in the log", () => trial.log.length > 0);
      assert.equal(trial.log[0], `/api/v1/namespaces: ${refuses === "list" ? "not kept" : "watch failed"}`);
      assert.deepEqual(await names(trial), ["a"]);
    },
  });
}

watchTest("objects above the limit are not cached", {
  objects: [namespace("a"), namespace("b")],
  options: { maxBytes: 100 },
  async run(trial) {
    await read(trial, "/api/v1/namespaces");
    await eventually("a word in the log", () => trial.log.length > 0);
    assert.deepEqual([trial.log[0], trial.feeds.length], ["/api/v1/namespaces: not kept", 0]);
    assert.deepEqual(await names(trial), ["a", "b"]);
  },
});

const kubeconfig = Deno.env.get("TEST_KUBECONFIG") ?? "";
if (kubeconfig === "") {
  // deno-lint-ignore no-console -- a test that does not run must say so
  console.warn("SKIPPED: watching a live cluster; TEST_KUBECONFIG names no kubeconfig file");
} else {
  Deno.test("watched cluster: changes of a live cluster arrive", async () => {
    const endpoint = await kubeconfigEndpoint({
      text: await Deno.readTextFile(kubeconfig),
      folder: dirname(kubeconfig),
      readText: Deno.readTextFile,
    });
    assert.ok(!isFault(endpoint));
    const clock = systemClock(), entropy = countingEntropy();
    const live = LiveCluster.connect(endpoint, { clock, entropy });
    assert.ok(!isFault(live));
    const calls: string[] = [];
    const cluster: FollowedCluster = {
      call: (call) => (calls.push(call.path), live.call(call)),
      resource: (apiVersion, kind) => live.resource(apiVersion, kind),
      follow: (path, signal) => live.follow(path, signal),
    };
    const watched = new WatchedCluster({ cluster, clock, entropy });
    const path = `/api/v1/namespaces/postern-watch-${crypto.randomUUID().slice(0, 8)}`;
    const name = path.split("/").at(-1)!;
    try {
      const rolesPath = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
      await eventually("all watches are open", async () => {
        calls.length = 0;
        await watched.call({ method: "GET", path: "/api/v1/namespaces" });
        await watched.call({ method: "GET", path: rolesPath });
        return calls.length === 0;
      });
      await live.call({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
      await eventually("the namespace is in memory", async () => {
        calls.length = 0;
        const answer = await watched.call({ method: "GET", path });
        return answer.ok && calls.length === 0;
      });
      const [fromMemory, fromServer] = await Promise.all(
        [watched, live].map((each) => each.call({ method: "GET", path: rolesPath })),
      );
      const bindings = (answer: typeof fromMemory) =>
        asList(field(answer?.ok === true ? answer.body : null, "items")).map((item) =>
          field(item, "roleRef")
        );
      assert.deepEqual(bindings(fromMemory), bindings(fromServer));
    } finally {
      await live.call({ method: "DELETE", path });
      await watched.close();
      live.close();
    }
  });
}
