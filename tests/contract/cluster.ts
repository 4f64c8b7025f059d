/** The contract of every adapter of the port `Cluster`, taken from Kubernetes 1.34. */
import assert from "node:assert/strict";
import { asList, dig, field, type Json } from "../../lib/json/mod.ts";
import type { Answer, ApiCall, Cluster } from "../../lib/ports.ts";

/** A cluster to try, which has the namespaces that every cluster has, and what to do when it is no longer needed. */
export interface ClusterUnderTest {
  readonly cluster: Cluster;
  close(): void;
}

/** Registers the tests of the contract. The namespaces that they make carry random names and are deleted. */
export function clusterContract(name: string, newCluster: () => Promise<ClusterUnderTest>): void {
  for (const { title, run } of contract) {
    Deno.test(`${name}: ${title}`, async () => {
      const { cluster, close } = await newCluster();
      const namespace = `postern-contract-${crypto.randomUUID().slice(0, 8)}`;
      const trial = new Trial(cluster, namespace);
      try {
        await trial.value("POST", "/api/v1/namespaces", {
          metadata: { name: namespace, labels: { kept: "no" } },
        });
        await run(trial);
      } finally {
        await cluster.call({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
        close();
      }
    });
  }
}

class Trial {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** Where ConfigMaps of the test's namespace are. */
  readonly maps: string;

  constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.maps = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  call(method: ApiCall["method"], path: string, body?: Json, contentType?: string): Promise<Answer> {
    return this.cluster.call({
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    });
  }

  async value(method: ApiCall["method"], path: string, body?: Json, contentType?: string): Promise<Json> {
    const answer = await this.call(method, path, body, contentType);
    assert.ok(answer.ok, `${method} ${path}: ${answer.ok ? "" : answer.message}`);
    return answer.body;
  }

  async fails(
    expected: readonly [status: number, message: string],
    ...call: [method: ApiCall["method"], path: string, body?: Json, contentType?: string]
  ): Promise<void> {
    const answer = await this.call(...call);
    assert.ok(!answer.ok, `${call[0]} ${call[1]} should fail`);
    assert.deepEqual([answer.status, answer.message], expected);
  }

  /**
   * Compares the cluster's answer to an access review; retries for a while, because a live server applies roles with
   * a delay.
   */
  async may(spec: Json, expected: Json): Promise<void> {
    for (let tries = 0;; tries++) {
      const status = await this.#access(spec);
      if (tries === 100 || JSON.stringify(status) === JSON.stringify(expected)) {
        return assert.deepEqual(status, expected);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #access(spec: Json): Promise<Json | undefined> {
    const review = await this.value("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec,
    });
    return field(review, "status");
  }
}

const mergeType = "application/merge-patch+json", applyType = "application/apply-patch+yaml";
const noResource = "the server could not find the requested resource";
const noMethod = "the server does not allow this method on the requested resource";

const contract: readonly { readonly title: string; readonly run: (trial: Trial) => Promise<void> }[] = [
  {
    title: "an object that was created is read back with what the server adds",
    async run(t) {
      const made = await t.value("POST", t.maps, { metadata: { name: "one" }, data: { a: "1" } });
      assert.deepEqual([field(made, "kind"), field(made, "apiVersion")], ["ConfigMap", "v1"]);
      assert.equal(dig(made, "metadata", "namespace"), t.namespace);
      assert.match(String(dig(made, "metadata", "uid")), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.match(String(dig(made, "metadata", "creationTimestamp")), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.match(String(dig(made, "metadata", "resourceVersion")), /^\d+$/);
      const read = await t.value("GET", `${t.maps}/one`);
      assert.deepEqual(field(read, "data"), { a: "1" });
      assert.equal(dig(read, "metadata", "uid"), dig(made, "metadata", "uid"));
    },
  },
  {
    title: "a call answers with the object in memory",
    async run(t) {
      await t.value("POST", t.maps, { metadata: { name: "one" }, data: { a: "1" } });
      for (const path of [`${t.maps}/one`, `${t.maps}/x`, "/api/v1/namespaces", "/no-such-path"]) {
        const { cluster } = t, answer = await cluster.call({ method: "GET", path });
        assert.deepEqual(cluster.inMemory?.(path) ?? answer, answer, path);
      }
    },
  },
  {
    title: "a missing object is not found, in the API server's words",
    async run(t) {
      await t.fails([404, 'configmaps "x" not found'], "GET", `${t.maps}/x`);
      await t.fails([404, 'configmaps "x" not found'], "GET", "/api/v1/namespaces/no-such/configmaps/x");
      await t.fails(
        [404, 'clusterroles.rbac.authorization.k8s.io "no-such" not found'],
        "GET",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/no-such",
      );
      await t.fails(
        [404, 'deployments.apps "x" not found'],
        "GET",
        `/apis/apps/v1/namespaces/${t.namespace}/deployments/x/status`,
      );
      await t.fails(
        [404, 'namespaces "no-such" not found'],
        "POST",
        "/api/v1/namespaces/no-such/configmaps",
        {
          metadata: { name: "x" },
        },
      );
      const answer = await t.call("GET", `${t.maps}/x`);
      assert.deepEqual(dig(answer.body ?? null, "details"), { name: "x", kind: "configmaps" });
      assert.equal(dig(answer.body ?? null, "reason"), "NotFound");
    },
  },
  {
    title: "unknown paths are not found",
    async run(t) {
      for (
        const path of [
          "/apis/no-such.example/v1/things",
          "/apis/no-such.example",
          "/api/v1/things",
          "/api/v1/pods/x",
          `/api/v1/namespaces/${t.namespace}/nodes`,
          `${t.maps}/x/log`,
          "/no-such-path",
        ]
      ) await t.fails([404, noResource], "GET", path);
    },
  },
  {
    title: "a method that a path does not support is refused",
    async run(t) {
      await t.fails([405, noMethod], "POST", `${t.maps}/x`, {});
      await t.fails([405, noMethod], "PUT", t.maps, {});
      await t.fails([405, noMethod], "POST", "/api/v1/configmaps", { metadata: { name: "x" } });
      await t.fails([405, noMethod], "GET", "/apis/authorization.k8s.io/v1/subjectaccessreviews");
    },
  },
  {
    title: "a list has its kind, sorted items, and items without kinds",
    async run(t) {
      for (const name of ["b", "a", "a-b"]) await t.value("POST", t.maps, { metadata: { name } });
      const list = await t.value("GET", t.maps);
      assert.deepEqual([field(list, "kind"), field(list, "apiVersion")], ["ConfigMapList", "v1"]);
      const created = asList(field(list, "items")).filter((item) =>
        dig(item, "metadata", "name") !== "kube-root-ca.crt"
      );
      assert.deepEqual(created.map((item) => dig(item, "metadata", "name")), ["a", "a-b", "b"]);
      assert.deepEqual(created.map((item) => field(item, "kind")), [undefined, undefined, undefined]);
      const all = await t.value("GET", "/api/v1/configmaps");
      const here = asList(field(all, "items")).filter((item) =>
        dig(item, "metadata", "namespace") === t.namespace
      );
      assert.ok(here.length >= 3);
      const none = await t.value("GET", "/api/v1/namespaces/no-such/configmaps");
      assert.deepEqual(field(none, "items"), []);
    },
  },
  {
    title: "labels and fields select",
    async run(t) {
      const at = `/api/v1/namespaces/${t.namespace}/services`;
      const port = [{ port: 80 }];
      await t.value("POST", at, {
        metadata: { name: "web", labels: { app: "web", tier: "1" } },
        spec: { ports: port },
      });
      await t.value("POST", at, { metadata: { name: "api", labels: { app: "api" } }, spec: { ports: port } });
      const names = async (query: string) => {
        const list = await t.value("GET", `${at}?${query}`);
        return asList(field(list, "items")).map((item) => dig(item, "metadata", "name"));
      };
      const selects = (text: string) => names(`labelSelector=${encodeURIComponent(text)}`);
      assert.deepEqual(await selects("app=web"), ["web"]);
      assert.deepEqual(await selects("app!=web"), ["api"]);
      assert.deepEqual(await selects("app in (web,api)"), ["api", "web"]);
      assert.deepEqual(await selects("tier"), ["web"]);
      assert.deepEqual(await selects("!tier"), ["api"]);
      assert.deepEqual(await selects("app notin (web), tier"), []);
      assert.deepEqual(await names("fieldSelector=metadata.name=web"), ["web"]);
      assert.deepEqual(await names("fieldSelector=metadata.name!=web,metadata.namespace=" + t.namespace), [
        "api",
      ]);
      const unknown = await t.call("GET", `${at}?fieldSelector=spec.foo=x`);
      assert.deepEqual([unknown.ok, unknown.status], [false, 400]);
      const broken = await t.call("GET", `${at}?labelSelector=a%20b`);
      assert.deepEqual([broken.ok, broken.status], [false, 400]);
    },
  },
  {
    title: "a limited list continues where it stopped",
    async run(t) {
      for (const name of ["a", "b", "c"]) {
        await t.value("POST", t.maps, { metadata: { name, labels: { paged: "yes" } } });
      }
      const first = await t.value("GET", `${t.maps}?limit=2&labelSelector=paged`);
      assert.deepEqual(asList(field(first, "items")).map((item) => dig(item, "metadata", "name")), [
        "a",
        "b",
      ]);
      const token = encodeURIComponent(String(dig(first, "metadata", "continue")));
      const second = await t.value("GET", `${t.maps}?limit=2&labelSelector=paged&continue=${token}`);
      assert.deepEqual(asList(field(second, "items")).map((item) => dig(item, "metadata", "name")), ["c"]);
      assert.equal(dig(second, "metadata", "continue") ?? "", "");
    },
  },
  {
    title: "a create needs a name, or generateName",
    async run(t) {
      const made = await t.value("POST", t.maps, { metadata: { generateName: "gen-" } });
      assert.match(String(dig(made, "metadata", "name")), /^gen-[a-z0-9]{5}$/);
      await t.fails(
        [422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'],
        "POST",
        t.maps,
        { metadata: {} },
      );
      const bad = await t.call("POST", t.maps, { metadata: { name: "A_b" } });
      assert.equal(bad.status, 422);
    },
  },
  {
    title: "a create that contradicts its path, or of an existing object, is refused",
    async run(t) {
      await t.value("POST", t.maps, { metadata: { name: "x" } });
      await t.fails([409, 'configmaps "x" already exists'], "POST", t.maps, { metadata: { name: "x" } });
      await t.fails(
        [400, "the namespace of the provided object does not match the namespace sent on the request"],
        "POST",
        t.maps,
        { metadata: { name: "y", namespace: "other" } },
      );
      await t.fails(
        [400, "the name of the object (y) does not match the name on the URL (x)"],
        "PUT",
        `${t.maps}/x`,
        { metadata: { name: "y" } },
      );
      const other = await t.call("POST", t.maps, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "y" },
      });
      assert.deepEqual([other.ok, other.status], [false, 400]);
    },
  },
  {
    title: "an update increments generation, and one of an old version is a conflict",
    async run(t) {
      const made = await t.value("POST", t.maps, { metadata: { name: "x" }, data: { a: "1" } });
      const next = await t.value("PUT", `${t.maps}/x`, { metadata: { name: "x" }, data: { a: "2" } });
      assert.notEqual(dig(next, "metadata", "resourceVersion"), dig(made, "metadata", "resourceVersion"));
      assert.equal(dig(next, "metadata", "uid"), dig(made, "metadata", "uid"));
      await t.fails(
        [
          409,
          'Operation cannot be fulfilled on configmaps "x": the object has been modified; ' +
          "please apply your changes to the latest version and try again",
        ],
        "PUT",
        `${t.maps}/x`,
        {
          metadata: { name: "x", resourceVersion: dig(made, "metadata", "resourceVersion")! },
          data: { a: "3" },
        },
      );
      await t.fails([404, 'configmaps "y" not found'], "PUT", `${t.maps}/y`, { metadata: { name: "y" } });
      const same = await t.value("PUT", `${t.maps}/x`, next);
      assert.equal(dig(same, "metadata", "resourceVersion"), dig(next, "metadata", "resourceVersion"));
    },
  },
  {
    title: "a merge patch merges, and null removes",
    async run(t) {
      await t.value("POST", t.maps, { metadata: { name: "x" }, data: { a: "1", b: "2" } });
      const next = await t.value("PATCH", `${t.maps}/x`, { data: { a: null, c: "3" } }, mergeType);
      assert.deepEqual(field(next, "data"), { b: "2", c: "3" });
      await t.fails([404, 'configmaps "y" not found'], "PATCH", `${t.maps}/y`, {}, mergeType);
      await t.fails([415, "415: Unsupported Media Type"], "PATCH", `${t.maps}/x`, {}, "application/json");
    },
  },
  {
    title: "an apply creates, sets its fields, and takes those of others only with force",
    async run(t) {
      const wish = (data: Json) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data });
      const path = `${t.maps}/x`;
      const needsManager = await t.call("PATCH", path, wish({}), applyType);
      assert.equal(needsManager.status, 422);
      await t.value("PATCH", `${path}?fieldManager=first`, wish({ a: "1", b: "1" }), applyType);
      await t.fails(
        [409, 'Apply failed with 1 conflict: conflict with "first": .data.a'],
        "PATCH",
        `${path}?fieldManager=second`,
        wish({ a: "2" }),
        applyType,
      );
      const forced = await t.value(
        "PATCH",
        `${path}?fieldManager=second&force=true`,
        wish({ a: "2" }),
        applyType,
      );
      assert.deepEqual(field(forced, "data"), { a: "2", b: "1" });
      const less = await t.value("PATCH", `${path}?fieldManager=first`, wish({ c: "1" }), applyType);
      assert.deepEqual(field(less, "data"), { a: "2", c: "1" });
    },
  },
  {
    title: "a deleted object is gone",
    async run(t) {
      const made = await t.value("POST", t.maps, { metadata: { name: "x" } });
      const status = await t.value("DELETE", `${t.maps}/x`);
      assert.equal(field(status, "status"), "Success");
      assert.equal(dig(status, "details", "uid"), dig(made, "metadata", "uid"));
      await t.fails([404, 'configmaps "x" not found'], "DELETE", `${t.maps}/x`);
      await t.value("POST", t.maps, { metadata: { name: "y", labels: { gone: "yes" } } });
      await t.value("POST", t.maps, { metadata: { name: "z" } });
      await t.value("DELETE", `${t.maps}?labelSelector=gone`);
      await t.fails([404, 'configmaps "y" not found'], "GET", `${t.maps}/y`);
      await t.value("GET", `${t.maps}/z`);
    },
  },
  {
    title: "finalizers keep a deleted object until they are gone",
    async run(t) {
      await t.value("POST", t.maps, { metadata: { name: "x", finalizers: ["example.com/hold"] } });
      const marked = await t.value("DELETE", `${t.maps}/x`);
      assert.equal(typeof dig(marked, "metadata", "deletionTimestamp"), "string");
      await t.value("GET", `${t.maps}/x`);
      await t.value("PATCH", `${t.maps}/x`, { metadata: { finalizers: null } }, mergeType);
      await t.fails([404, 'configmaps "x" not found'], "GET", `${t.maps}/x`);
    },
  },
  {
    title: "a dry run stores nothing",
    async run(t) {
      const made = await t.value("POST", `${t.maps}?dryRun=All`, {
        metadata: { name: "x" },
        data: { a: "1" },
      });
      assert.deepEqual(field(made, "data"), { a: "1" });
      await t.fails([404, 'configmaps "x" not found'], "GET", `${t.maps}/x`);
    },
  },
  {
    title: "namespaces have their name as a label, and system namespaces cannot be deleted",
    async run(t) {
      const namespace = await t.value("GET", `/api/v1/namespaces/${t.namespace}`);
      assert.deepEqual(dig(namespace, "metadata", "labels"), {
        "kubernetes.io/metadata.name": t.namespace,
        kept: "no",
      });
      assert.equal(dig(namespace, "status", "phase"), "Active");
      await t.fails(
        [403, 'namespaces "kube-system" is forbidden: this namespace may not be deleted'],
        "DELETE",
        "/api/v1/namespaces/kube-system",
      );
    },
  },
  {
    title: "Secrets store stringData encoded",
    async run(t) {
      const at = `/api/v1/namespaces/${t.namespace}/secrets`;
      const made = await t.value("POST", at, { metadata: { name: "s" }, stringData: { a: "é" } });
      assert.deepEqual([field(made, "data"), field(made, "type")], [{ a: "w6k=" }, "Opaque"]);
    },
  },
  {
    title: "access reviews follow roles and bindings",
    async run(t) {
      const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${t.namespace}`;
      const rule = { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["get", "list"] };
      await t.value("POST", `${rbac}/roles`, { metadata: { name: "reader" }, rules: [rule] });
      await t.value("POST", `${rbac}/rolebindings`, {
        metadata: { name: "readers" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
        subjects: [
          { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" },
          { kind: "ServiceAccount", name: "bot", namespace: t.namespace },
        ],
      });
      const pods = { namespace: t.namespace, verb: "get", resource: "pods" };
      await t.may({ user: "jane", resourceAttributes: pods }, {
        allowed: true,
        reason: `RBAC: allowed by RoleBinding "readers/${t.namespace}" of Role "reader" to User "jane"`,
      });
      await t.may({
        user: `system:serviceaccount:${t.namespace}:bot`,
        resourceAttributes: { ...pods, subresource: "log" },
      }, {
        allowed: true,
        reason: `RBAC: allowed by RoleBinding "readers/${t.namespace}" of Role "reader" to ServiceAccount ` +
          `"bot/${t.namespace}"`,
      });
      const refused = { allowed: false };
      await t.may({ user: "jane", resourceAttributes: { ...pods, verb: "delete" } }, refused);
      await t.may({ user: "jane", resourceAttributes: { ...pods, group: "apps" } }, refused);
      await t.may({ user: "jane", resourceAttributes: { ...pods, namespace: "default" } }, refused);
      await t.may({ user: "joe", resourceAttributes: pods }, refused);
      await t.may({ user: "joe", groups: ["system:masters"], resourceAttributes: pods }, {
        allowed: true,
      });
      await t.value("POST", `${rbac}/rolebindings`, {
        metadata: { name: "dangling" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "nope" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "dan" }],
      });
      await t.may({ user: "dan", resourceAttributes: pods }, {
        allowed: false,
        reason: 'RBAC: role.rbac.authorization.k8s.io "nope" not found',
      });
      await t.fails(
        [
          422,
          '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: ' +
          "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        ],
        "POST",
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec: { user: "jane" } },
      );
      const self = await t.value("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: pods },
      });
      assert.equal(dig(self, "status", "allowed"), true);
      const local = `/apis/authorization.k8s.io/v1/namespaces/${t.namespace}/localsubjectaccessreviews`;
      const here = await t.value("POST", local, {
        metadata: { namespace: t.namespace },
        spec: { user: "jane", resourceAttributes: pods },
      });
      assert.equal(dig(here, "status", "allowed"), true);
    },
  },
  {
    title: "the namespaced roles of every cluster exist",
    async run(t) {
      const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${t.namespace}`;
      await t.value("POST", `${rbac}/rolebindings`, {
        metadata: { name: "editors" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
        subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "dev" }],
      });
      const reason =
        `RBAC: allowed by RoleBinding "editors/${t.namespace}" of ClusterRole "edit" to Group "dev"`;
      const table: [verb: string, group: string, resource: string, status: Json][] = [
        ["create", "apps", "deployments", { allowed: true, reason }],
        ["list", "", "pods", { allowed: true, reason }],
        ["create", "rbac.authorization.k8s.io", "roles", { allowed: false }],
        ["get", "", "nodes", { allowed: false }],
      ];
      for (const [verb, group, resource, status] of table) {
        const resourceAttributes = { namespace: t.namespace, verb, group, resource };
        await t.may({ user: "x", groups: ["dev"], resourceAttributes }, status);
      }
    },
  },
  {
    title: "discovery lists the served resources",
    async run(t) {
      assert.equal(typeof field(await t.value("GET", "/version"), "gitVersion"), "string");
      assert.equal(await t.value("GET", "/healthz"), "ok");
      assert.deepEqual(field(await t.value("GET", "/api"), "versions"), ["v1"]);
      const groups = asList(field(await t.value("GET", "/apis"), "groups"));
      assert.ok(groups.some((group) => field(group, "name") === "apps"));
      assert.deepEqual(field(await t.value("GET", "/apis/apps"), "preferredVersion"), {
        groupVersion: "apps/v1",
        version: "v1",
      });
      const resources = asList(field(await t.value("GET", "/apis/apps/v1"), "resources"));
      const deployments = resources.find((each) => field(each, "name") === "deployments");
      assert.deepEqual([field(deployments, "kind"), field(deployments, "namespaced")], ["Deployment", true]);
      assert.deepEqual(await t.cluster.resource("apps/v1", "Deployment"), {
        group: "apps",
        version: "v1",
        kind: "Deployment",
        plural: "deployments",
        namespaced: true,
      });
      assert.equal((await t.cluster.resource("v1", "Node"))?.namespaced, false);
      assert.equal(await t.cluster.resource("apps/v1", "NoSuchKind"), undefined);
      assert.equal(await t.cluster.resource("no-such.example/v1", "Thing"), undefined);
    },
  },
  {
    title: "a path with .. is refused",
    async run(t) {
      await t.value("POST", t.maps, { metadata: { name: "x" } });
      for (const climb of ["..", "%2e%2e", ".", ""]) {
        const answer = await t.call("GET", `${t.maps}/no/${climb}/x`);
        assert.equal(answer.ok, false, climb);
      }
    },
  },
  {
    title: "a call whose deadline passed is a failure without a status",
    async run(t) {
      const answer = await t.cluster.call({ method: "GET", path: t.maps, signal: AbortSignal.abort() });
      assert.deepEqual(answer, {
        ok: false,
        status: undefined,
        message: `GET ${t.maps}: the request's deadline passed`,
      });
    },
  },
];
