/** The manifests as a whole: order, probes, ConfigMaps, certificates, and deploy.yaml. */
import assert from "node:assert/strict";
import { run } from "../../lib/cli/mod.ts";
import { asList, asObject, asString, dig, field, isObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { find, manifestsOf, printed, rulesOf, webhooksOf } from "./manifests.ts";
import { schemaProblems } from "./schema.ts";
import { context, deny, mutate, pattern, policy } from "./manifest_policies.ts";

Deno.test("webhook configurations call nothing before a replica is ready, and are deleted before the replicas", async () => {
  const { objects } = await manifestsOf([policy("fails", [{ body: pattern }])]);
  assert.deepEqual(objects.slice(0, 2).map(({ kind }) => kind), [
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
  ]);
  for (const { webhooks } of objects.slice(0, 2)) assert.equal(webhooks, undefined);
  assert.equal(webhooksOf(objects, "Validating").size, 1);
});

Deno.test("manifests for live policies contain the rights, arguments and empty webhooks for them", async () => {
  const { objects } = await printed(["--watch-policies", "--secret-path", "none"]);
  assert.deepEqual(objects.slice(0, 2).map(({ kind }) => kind), [
    "Namespace",
    "ValidatingWebhookConfiguration",
  ]);
  const configurations = objects.filter(({ kind }) => /WebhookConfiguration$/.test(String(kind)));
  for (const { webhooks } of configurations) assert.equal(webhooks, undefined);
  const names = configurations.map((each) => dig(each, "metadata", "name")).sort();
  const named = asList(field(find(objects, "ClusterRole", "postern"), "rules")).flatMap((rule) =>
    asList(field(rule, "resourceNames"))
  );
  assert.deepEqual([...named].sort(), names);
  assert.equal(
    field(find(objects, "ClusterRole", "postern-policies"), "rules"),
    undefined,
    "an apply must not take away the aggregated rights until the cluster grants them again",
  );
  const labels = dig(
    find(objects, "ClusterRole", "postern-policies"),
    "aggregationRule",
    "clusterRoleSelectors",
  );
  assert.match(JSON.stringify(labels), /rbac\.kyverno\.io\/aggregate-to-background-controller/);
  assert.deepEqual(
    dig(find(objects, "ClusterRoleBinding", "postern-policies"), "roleRef", "name"),
    "postern-policies",
  );
  const ofRole = rulesOf(find(objects, "Role"));
  assert.ok(ofRole.includes("get,update coordination.k8s.io/leases [postern]"));
  assert.ok(
    ofRole.includes("create coordination.k8s.io/leases"),
    "a Lease that somebody deleted is made again",
  );
  const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
  const args = asList(field(container, "args"));
  assert.ok(args.includes("--watch-policies"));
  assert.ok(
    args.includes("--exception-namespace=*"),
    "exceptions of all namespaces count, and the text says so",
  );
  assert.ok(!args.some((arg) => /^--(policies|webhooks)=/.test(String(arg))));
  assert.deepEqual(objects.filter(({ kind }) => kind === "ConfigMap"), []);
  assert.deepEqual(objects.flatMap(schemaProblems), []);
});

Deno.test("manifests note that all exceptions count unless an option says whose", async () => {
  const notes = async (...options: string[]): Promise<string> =>
    (await printed([...options, "--secret-path", "none"])).said;
  assert.match(await notes("--watch-policies"), /PolicyExceptions of every namespace count/);
  assert.equal(await notes("--watch-policies", "--exception-namespace", "*"), "");
  assert.equal(await notes("--watch-policies", "--exception-namespace", ""), "");
  assert.doesNotMatch(await notes("--policies", "policies"), /PolicyExceptions/);
});

for (
  const [options, problem] of [
    [["--exception-namespace", "exempt"], /needs --watch-policies/],
    [["--watch-policies", "--exception-namespace", "team-*"], /one namespace, \* for all/],
    [["--watch-policies", "--exception-namespace", "a,b"], /one namespace, \* for all/],
  ] as const
) {
  Deno.test(`manifests refuse ${options.join(" ")}`, async () => {
    const said: string[] = [];
    const terminal = { out: () => {}, err: (line: string) => void said.push(line) };
    assert.equal(await run(["manifests", ...options], terminal), 2);
    assert.match(said.join("\n"), problem);
  });
}

Deno.test("changed policies change the pod template, equal policies do not", async () => {
  const checksum = async (message: string): Promise<string> => {
    const { objects } = await manifestsOf([
      policy("p", [{ body: pattern.replace("message: m", `message: ${message}`) }]),
    ]);
    const template = dig(find(objects, "Deployment"), "spec", "template");
    return asString(dig(template, "metadata", "annotations", "postern/policies")) ?? "";
  };
  assert.match(await checksum("one"), /^[0-9a-f]{16}$/);
  assert.equal(await checksum("one"), await checksum("one"));
  assert.notEqual(await checksum("one"), await checksum("two"));
});

Deno.test("probes begin a second after a pod's start, and it has a minute to become live", async () => {
  const { objects } = await manifestsOf([policy("p", [{ body: pattern }])]);
  const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
  assert.equal(dig(container!, "readinessProbe", "initialDelaySeconds"), 1);
  const liveness = (field: string) => Number(dig(container!, "livenessProbe", field));
  const furtherProbes = liveness("failureThreshold") - 1;
  assert.equal(liveness("initialDelaySeconds") + furtherProbes * liveness("periodSeconds"), 60);
});

Deno.test("no startup probe makes all replicas of a node unready when its kubelet restarts", async () => {
  const { objects } = await manifestsOf([policy("p", [{ body: pattern }])]);
  const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
  assert.equal(dig(container!, "startupProbe"), undefined);
});

Deno.test("many policies are split into ConfigMaps that are mounted into one folder", async () => {
  const large = `# ${"x".repeat(90_000)}\n`;
  const { objects } = await manifestsOf(
    ["a", "b", "c", "d", "e"].map((name) => large + policy(name, [{ body: pattern }])),
  );
  const maps = objects.filter(({ kind }) => kind === "ConfigMap");
  assert.equal(maps.length, 3);
  for (const map of maps) {
    assert.ok(JSON.stringify(map).length < 262_144, "kubectl keeps a copy in an annotation");
  }
  const keys = maps.flatMap((map) => Object.keys(asObject(map["data"]) ?? {}));
  assert.equal(new Set(keys).size, 5);
  const volumes = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "volumes")).filter(
    isObject,
  );
  const sources = asList(dig(volumes[0], "projected", "sources")).map((each) =>
    dig(each, "configMap", "name")
  );
  assert.deepEqual(sources, maps.map((map) => dig(map, "metadata", "name")));
});

Deno.test("by default the manifests contain no key and are reproducible", async () => {
  const one = await manifestsOf([policy("p", [{ body: pattern }])]);
  const again = await manifestsOf([policy("p", [{ body: pattern }])]);
  assert.equal(
    one.text.replaceAll(/tmp-[\w.-]*policy/g, ""),
    again.text.replaceAll(/tmp-[\w.-]*policy/g, ""),
  );
  assert.doesNotMatch(one.text, /PRIVATE KEY|LS0tLS1CRUdJTi/);
  assert.equal(find(one.objects, "Secret")["data"], undefined);
});

Deno.test("--certificate make puts certificate, key and authority into the manifests", async () => {
  const { objects } = await manifestsOf([policy("p", [{ body: pattern }])], "--certificate", "make");
  const data = asObject(find(objects, "Secret", "postern-tls")["data"]) ?? {};
  assert.match(atob(String(data["tls.key"])), /PRIVATE KEY/);
  assert.match(atob(String(data["ca.crt"])), /BEGIN CERTIFICATE/);
  assert.deepEqual(rulesOf(find(objects, "Role")), ["list discovery.k8s.io/endpointslices"]);
  assert.deepEqual(objects.flatMap(schemaProblems), []);
});

Deno.test("--certificate cert-manager leaves certificate and bundle to cert-manager", async () => {
  const { objects } = await manifestsOf([policy("p", [{ body: pattern }])], "--certificate", "cert-manager");
  assert.deepEqual(dig(find(objects, "Certificate"), "spec", "dnsNames"), [
    "postern.postern.svc",
    "postern.postern.svc.cluster.local",
  ]);
  assert.deepEqual(dig(find(objects, "ValidatingWebhookConfiguration"), "metadata", "annotations"), {
    "cert-manager.io/inject-ca-from": "postern/postern-tls",
  });
});

Deno.test("objects are valid against the API's schema", async () => {
  const { objects } = await manifestsOf([
    policy("p", [
      { body: pattern },
      { match: 'kinds: ["*"]', body: mutate },
      context("configMap: {name: m, namespace: a}"),
    ]),
  ]);
  assert.deepEqual(objects.flatMap(schemaProblems), []);
  // The check itself finds what is wrong.
  const wrong = { apiVersion: "v1", kind: "Service", metadata: { name: 1 }, spec: { port: [], ports: [{}] } };
  assert.equal(schemaProblems(wrong).length, 3);
});

Deno.test("webhooks call a random path, which the pods read from a Secret and no command line shows", async () => {
  const text = policy("never", [{ body: deny }]);
  const made = await Promise.all([1, 2].map(() => manifestsOf([text], "--secret-path", "random")));
  const paths = made.map(({ objects }) =>
    atob(String(dig(find(objects, "Secret", "postern-path"), "data", "path")))
  );
  assert.notEqual(paths[0], paths[1]);
  for (const [index, { objects }] of made.entries()) {
    assert.match(paths[index]!, /^\/[0-9a-f]{32}$/);
    assert.deepEqual([...webhooksOf(objects, "Validating").keys()], [`${paths[index]}/validate/fail`]);
    const deployment = JSON.stringify(find(objects, "Deployment"));
    assert.ok(!deployment.includes(paths[index]!));
    assert.match(deployment, /"secretKeyRef":\{"key":"path","name":"postern-path"\}/);
    assert.match(deployment, /--allow-env=[A-Z_,]*POSTERN_SECRET_PATH/);
    assert.match(deployment, /"path":"\/health\/readiness"/);
    assert.deepEqual(objects.flatMap(schemaProblems), []);
  }
  const kept = await manifestsOf([text], "--secret-path", paths[0]!);
  assert.ok(webhooksOf(kept.objects, "Validating").has(`${paths[0]}/validate/fail`));
});

Deno.test("deploy.yaml is the generator's output for policies/", async () => {
  const root = new URL("../../", import.meta.url).pathname;
  // In a process of its own, for paths are relative to the working directory, which all tests share.
  const args = [
    "run",
    "--no-prompt",
    "--allow-read",
    "--allow-env",
    "main.ts",
    "manifests",
    "--policies",
    "policies",
    // Output that everybody can read holds no secret.
    "--secret-path",
    "none",
  ];
  const { code, stdout, stderr } = await new Deno.Command("deno", { args, cwd: root }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const stored = await Deno.readTextFile(`${root}deploy.yaml`);
  const same = stored === new TextDecoder().decode(stdout);
  assert.ok(
    same,
    "run: deno task --quiet postern manifests --policies policies --secret-path none > deploy.yaml",
  );
  const { documents } = parseDocuments(stored, "deploy.yaml");
  assert.deepEqual(documents.flatMap(({ value }) => schemaProblems(value)), []);
});
