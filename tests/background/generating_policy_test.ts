import assert from "node:assert/strict";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import {
  away,
  awaySettings,
  blue,
  colored,
  copying,
  generating,
  green,
  labelledAs,
  ofBlue,
  setUp,
  variants,
} from "./generating_setting.ts";
import { copy, settings } from "./setting.ts";

Deno.test("an object of a GeneratingPolicy has the labels that Kyverno gives it", async () => {
  const made = await setUp(generating);
  assert.deepEqual(dig(await made.read(settings), "metadata", "labels"), ofBlue);
  const copied = await setUp(copying);
  const labels = { ...ofBlue, app: "web", "generate.kyverno.io/source-uid": "u-source" };
  assert.deepEqual(dig(await copied.read(copy), "metadata", "labels"), labels);
  // The label by which the source is followed is not copied.
  await copied.updated(blue, (object) => labelledAs(object, { team: "no" }));
  assert.deepEqual(dig(await copied.read(copy), "metadata", "labels"), labels);
});

Deno.test("a trigger whose name no label can have generates, too", async () => {
  const policy = generating.replace("namespaces]", "configmaps]").replace("object.metadata.name,", '"blue",');
  const { read, cluster, review } = await setUp(policy, { reviewed: false });
  const name = "a".repeat(100);
  await cluster.inner.call({
    method: "POST",
    path: `${green}/configmaps`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "green", uid: "u-long" } },
  });
  await review(await read(`${green}/configmaps/${name}`));
  const labels = dig(await read(settings), "metadata", "labels") as JsonObject;
  assert.deepEqual([labels["generate.kyverno.io/trigger-name"], labels["generate.kyverno.io/trigger-uid"]], [
    undefined,
    (await read(`${green}/configmaps/${name}`) as { metadata: { uid: string } }).metadata.uid,
  ]);
});

const settingsOf = (labels: JsonObject): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "default", labels },
    data: { color: "mine" },
  });

const others: Readonly<Record<string, JsonObject>> = {
  "an object of a user": { app: "mine" },
  "an object of another policy": { ...ofBlue, "generate.kyverno.io/policy-name": "other" },
  "an object of a policy of a namespace": { ...ofBlue, "generate.kyverno.io/policy-namespace": "blue" },
  "an object of a rule of a ClusterPolicy": { ...ofBlue, "generate.kyverno.io/rule-name": "rule" },
  "an object that nothing manages": { ...ofBlue, "app.kubernetes.io/managed-by": "helm" },
};

for (const [variant, policy] of Object.entries(variants)) {
  for (const [whose, labels] of Object.entries(others)) {
    const what = `${whose}, ${variant}`;
    Deno.test(`an object that a GeneratingPolicy did not generate for the trigger is left alone: ${what}`, async () => {
      const { cluster, read, removed, updated, changeTo } = await setUp(policy, { more: settingsOf(labels) });
      await updated(blue, (object) => labelledAs(object, { team: "other" }));
      await changeTo(policy);
      await removed(blue);
      assert.deepEqual(cluster.writes, []);
      const { data, metadata } = await read(awaySettings);
      assert.deepEqual([data, dig(metadata!, "labels")], [{ color: "mine" }, labels]);
    });
  }
}

Deno.test("an object that Kyverno generated for the trigger is kept in step, and withdrawn", async () => {
  const { cluster, read, removed } = await setUp(away, { more: settingsOf(ofBlue) });
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
  await removed(blue);
  assert.equal(await cluster.read(awaySettings), undefined);
});

Deno.test("of two triggers that generate one object, the first keeps it", async () => {
  const one = away.replace('dyn({"color": "blue"})', 'dyn({"color": object.metadata.name})');
  const { cluster, read, review, removed } = await setUp(one);
  await review(await read(green));
  const uid = async () =>
    dig(await read(awaySettings), "metadata", "labels", "generate.kyverno.io/trigger-uid");
  assert.deepEqual([dig(await read(awaySettings), "data", "color"), await uid()], ["blue", "u-blue"]);
  await removed(green);
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
  await removed(blue);
  assert.equal(await cluster.read(awaySettings), undefined);
});

/** The same for all operations that a list names. */
const named = (operations: string): string => away.replace("[CREATE, UPDATE]", `[${operations}]`);

const lists: readonly (readonly [operations: string, left: boolean])[] = [
  ["CREATE", false],
  ["CREATE, UPDATE", false],
  ['"*"', false],
  ["CREATE, DELETE", true],
];

for (const [operations, left] of lists) {
  const what = `${operations}: ${left ? "stays" : "goes"}`;
  Deno.test(`the deletion of a trigger withdraws what a GeneratingPolicy made for it, unless the policy names DELETE: ${what}`, async () => {
    const { cluster, read, removed, changeTo } = await setUp(named(operations));
    assert.ok(await read(awaySettings));
    await removed(blue);
    assert.equal(await cluster.read(awaySettings) !== undefined, left);
    await changeTo();
    assert.equal(await cluster.read(awaySettings) !== undefined, left);
  });
}

Deno.test("a rule that names DELETE for other objects keeps the deletion of a trigger from withdrawing", async () => {
  const more =
    `    - {apiGroups: [""], apiVersions: [v1], resources: [secrets], operations: [DELETE]}\n  generate:`;
  const { cluster, removed } = await setUp(away.replace("  generate:", more));
  await removed(blue);
  assert.ok(await cluster.read(awaySettings));
});

Deno.test("what a GeneratingPolicy makes for a deletion stays, and the next deletion replaces it", async () => {
  const last = named("DELETE").replace('dyn({"color": "blue"})', 'dyn({"color": oldObject.metadata.name})');
  const { read, removed, changeTo, follow, replace } = await setUp(last, { reviewed: false });
  await removed(blue);
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
  assert.deepEqual(dig(await read(awaySettings), "metadata", "labels"), {
    ...ofBlue,
    "generate.kyverno.io/trigger-uid": "",
  });
  await changeTo();
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
  await removed(green);
  assert.equal(dig(await read(awaySettings), "data", "color"), "green");
  const object = await read(awaySettings);
  await replace(awaySettings, colored(object, "red"));
  assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
  assert.equal(dig(await read(awaySettings), "data", "color"), "green");
});

Deno.test("a GeneratingPolicy for CREATE alone keeps what it made when its trigger is updated", async () => {
  const { cluster, updated, changeTo } = await setUp(named("CREATE"));
  await updated(blue, (object) => labelledAs(object, { team: "other" }));
  await changeTo();
  assert.ok(await cluster.read(awaySettings));
});

for (const [what, changed] of [["another name", { team: "no" }], ["no name that it can say", {}]] as const) {
  Deno.test(`the deletion of a trigger withdraws what a GeneratingPolicy made, now under ${what}`, async () => {
    const labels = 'object.metadata.labels["team"]';
    const byLabel = away.replace('"name": "settings"', `"name": "settings-" + ${labels}`);
    const { cluster, read, removed, replace } = await setUp(byLabel);
    const made = `${awaySettings}-yes`;
    assert.ok(await read(made));
    await replace(blue, labelledAs(await read(blue), changed));
    await removed(blue);
    assert.equal(await cluster.read(made), undefined);
  });
}

Deno.test("policies of one name do not delete each other's objects", async () => {
  const other = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: settings}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}
  validations: [{expression: "true"}]
---`;
  const { cluster, changeTo } = await setUp(generating);
  await changeTo(other + generating, generating);
  assert.ok(await cluster.read(settings));
});

Deno.test("clones of a GeneratingPolicy stay when it is deleted", async () => {
  const { cluster, changeTo } = await setUp(copying);
  await changeTo("");
  assert.ok(await cluster.read(copy));
});

Deno.test("an object of a GeneratingPolicy is deleted when its trigger no longer meets the match conditions", async () => {
  const optional = generating.replace(
    "  generate:",
    "  matchConditions: [{name: team, expression: 'has(object.metadata.labels.team)'}]\n  generate:",
  );
  for (
    const [text, left] of [[optional, false], [
      optional.replace("enabled: true", "enabled: false"),
      true,
    ]] as const
  ) {
    const { cluster, updated } = await setUp(text);
    await updated(blue, (object) => labelledAs(object, {}));
    assert.equal(await cluster.read(settings) !== undefined, left);
  }
});

Deno.test("the downstream objects of a GeneratingPolicy are deleted with it, unless it orphans them", async () => {
  const orphans = "evaluation: {orphanDownstreamOnPolicyDelete: {enabled: true}, ";
  for (
    const [text, left] of [[generating, false], [generating.replace("evaluation: {", orphans), true]] as const
  ) {
    const { cluster, changeTo } = await setUp(text);
    await changeTo("");
    assert.equal(await cluster.read(settings) !== undefined, left);
  }
});

/** A policy that makes a ConfigMap for each name in an annotation. */
const several = away.replace(
  /- expression: >-[^]*$/,
  `- expression: >-
      object.metadata.annotations.names.split(",").all(n, generator.Apply("default", [{"apiVersion": dyn("v1"),
      "kind": dyn("ConfigMap"), "metadata": dyn({"name": n})}]))
`,
);

for (
  const [what, policy, left] of [
    ["with synchronize", several, ["a", "c"]],
    ["without synchronize", several.replace("enabled: true", "enabled: false"), ["a", "b", "c"]],
  ] as const
) {
  Deno.test(`the update of a trigger deletes what a GeneratingPolicy makes for it no longer: ${what}`, async () => {
    const { cluster, read, replace, review, updated } = await setUp(policy, { reviewed: false });
    const naming = (names: string) => (object: JsonObject): JsonObject => ({
      ...object,
      metadata: { ...object["metadata"] as JsonObject, annotations: { names } },
    });
    for (const [path, names] of [[blue, "a,b"], [green, "c"]] as const) {
      await replace(path, naming(names)(await read(path)));
      await review(await read(path));
    }
    await updated(blue, naming("a"));
    const found = await Promise.all(
      ["a", "b", "c"].map(async (name) =>
        await cluster.read(awaySettings.replace(/settings$/, name)) === undefined ? [] : [name]
      ),
    );
    assert.deepEqual(found.flat(), left);
  });
}

Deno.test("a GeneratingPolicy keeps an object whose kind has no namespaces, although it names one", async () => {
  const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true}]
`;
  const policy = away.replace('"v1"', '"example.com/v1"').replace("ConfigMap", "Widget");
  const { cluster, read, updated, changeTo } = await setUp(policy, { more: definition });
  const widget = "/apis/example.com/v1/widgets/settings",
    { uid } = (await read(widget))["metadata"] as JsonObject;
  await updated(blue, (object) => labelledAs(object, { team: "other" }));
  await changeTo();
  assert.equal(dig(await read(widget), "metadata", "uid"), uid);
  assert.ok(!cluster.writes.some((write) => write.startsWith("DELETE")));
});

Deno.test("what was made for a trigger is found by its labels: no other objects are listed", async () => {
  const { cluster, removed } = await setUp(away);
  const lists: (string | null)[] = [];
  cluster.interfere = ({ method, path }) => {
    const [resource, query] = path.split("?");
    if (method === "GET" && resource === "/api/v1/configmaps") {
      lists.push(new URLSearchParams(query).get("labelSelector"));
    }
    return undefined;
  };
  await removed(blue);
  const prefix = "generate.kyverno.io/";
  assert.deepEqual(lists, [
    `app.kubernetes.io/managed-by=kyverno,${prefix}policy-name=settings,${prefix}trigger-uid=u-blue`,
  ]);
});

for (const [variant, policy] of Object.entries(variants)) {
  Deno.test(`an update of a trigger writes nothing when all is as it should be: ${variant}`, async () => {
    const { cluster, updated, changeTo } = await setUp(policy);
    cluster.writes.length = 0;
    await updated(blue, (object) => labelledAs(object, { team: "other" }));
    await changeTo();
    assert.deepEqual(cluster.writes, []);
  });
}

Deno.test("a trigger of a kind that cannot be listed does not keep others from being withdrawn", async () => {
  const lost = (name: string, kind: string): string =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name,
        namespace: "default",
        labels: {
          ...ofBlue,
          "generate.kyverno.io/trigger-kind": kind,
          "generate.kyverno.io/trigger-uid": `u-${name}`,
        },
      },
    });
  const more = `${lost("a", "Scale")}\n---\n${lost("b", "Namespace")}`;
  const { cluster, changeTo } = await setUp(away, { more });
  await changeTo();
  const left = await Promise.all(
    ["a", "b"].map((name) => cluster.read(awaySettings.replace(/settings$/, name))),
  );
  assert.deepEqual(left.map((object) => object !== undefined), [true, false]);
});

Deno.test("an update of a trigger generates although the objects of former versions cannot be listed", async () => {
  const { cluster, read, updated } = await setUp(away, { reviewed: false });
  cluster.interfere = ({ method, path }) =>
    method === "GET" && path.startsWith("/api/v1/configmaps?")
      ? { ok: false, status: 403, message: "may not list" }
      : undefined;
  await updated(blue, (object) => labelledAs(object, { team: "other" }));
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
});

Deno.test("a NamespacedGeneratingPolicy keeps its objects in step, and withdraws them with their trigger", async () => {
  const policy = generating.replace("kind: GeneratingPolicy", "kind: NamespacedGeneratingPolicy")
    .replace("{name: settings}", "{name: settings, namespace: blue}").replace("namespaces]", "secrets]")
    .replace("Apply(object.metadata.name,", "Apply(");
  // Kyverno labels such objects without the namespace of the policy.
  const secret = `{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: blue, uid: u-token}}`;
  const kyvernos = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "settings",
      namespace: "blue",
      labels: { ...ofBlue, "generate.kyverno.io/trigger-uid": "u-token" },
    },
  });
  const trigger = `${blue}/secrets/token`;
  for (const more of [secret, `${secret}\n---\n${kyvernos}`]) {
    const { cluster, read, replace, review, follow, removed } = await setUp(policy, {
      more,
      reviewed: false,
    });
    await review(await read(trigger));
    const object = await read(settings), labels = dig(object, "metadata", "labels") as JsonObject;
    assert.deepEqual([object["data"], labels["generate.kyverno.io/policy-namespace"]], [
      { color: "blue" },
      "blue",
    ]);
    await replace(settings, colored(object, "red"));
    assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
    await removed(trigger);
    assert.equal(await cluster.read(settings), undefined);
  }
});
