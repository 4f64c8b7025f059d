/** Helm charts and kustomize bases: what the real programs make of them is what `manifests` prints. */
import assert from "node:assert/strict";
import { run } from "../../lib/cli/mod.ts";
import { asList, dig, field, isObject, type JsonObject } from "../../lib/json/mod.ts";
import { helmDocuments, helmTemplate } from "../../lib/install/packages/helm_template.ts";
import { Part, vary } from "../../lib/install/packages/variants.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { printed } from "../deploy/manifests.ts";
import { type DeployTool, deployTool } from "../support/deploy_tools.ts";
import { withFolder } from "../support/folder.ts";

const helm = await deployTool("helm"), kustomize = await deployTool("kustomize");

const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: named}
spec:
  rules:
  - name: braces
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: settings, configMap: {name: settings, namespace: default}}]
    validate: {message: "{{ request.object.metadata.name }}", pattern: {metadata: {name: "?*"}}}
`;

/** Runs a command line and returns the files that it wrote into a folder. */
async function written(folder: string, args: readonly string[]): Promise<string> {
  const said: string[] = [];
  const out = `${folder}/out`;
  const code = await run(["manifests", ...args, "--out", out], {
    out: () => {},
    err: (line) => void said.push(line),
  });
  assert.equal(code, 0, said.join("\n"));
  return out;
}

/** Objects by kind and name. */
function byName(objects: readonly JsonObject[]): Record<string, JsonObject> {
  return Object.fromEntries(
    objects.map((object) =>
      [`${object["kind"]} ${(object["metadata"] as JsonObject)["name"]}`, object] as const
    )
      .sort(([left], [right]) => left < right ? -1 : 1),
  );
}

async function output(tool: DeployTool, args: readonly string[]): Promise<readonly JsonObject[]> {
  const { success, stdout, stderr } = await new Deno.Command(tool.path!, { args: [...args] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { documents, diagnostics } = parseDocuments(new TextDecoder().decode(stdout), "rendered.yaml");
  assert.deepEqual(diagnostics, []);
  return documents.map(({ value }) => value).filter(isObject);
}

const path = "/0123456789abcdef0123456789abcdef";

interface Choice {
  readonly what: string;
  /** Options of `manifests`. */
  readonly options: readonly string[];
  /** Values of the chart that is made without them. */
  readonly values: readonly string[];
}

const choices: readonly Choice[] = [
  { what: "the usual values", options: [], values: [] },
  { what: "one replica", options: ["--replicas", "1"], values: ["replicas=1"] },
  {
    what: "another image and namespace",
    options: ["--image", "registry.example/postern:2", "--namespace", "gate"],
    values: ["image=registry.example/postern:2", "namespace=gate"],
  },
  {
    what: "cert-manager's certificates",
    options: ["--certificate", "cert-manager"],
    values: ["certificate=cert-manager"],
  },
  { what: "a secret path", options: ["--secret-path", path], values: [`secretPath=${path}`] },
  {
    what: "failurePolicy Ignore",
    options: ["--failure-policy", "Ignore"],
    values: ["failurePolicy=Ignore"],
  },
  {
    what: "traces",
    options: ["--traces", "http://collector:4318"],
    values: ["traces=http://collector:4318"],
  },
  {
    what: "all of them together",
    options: [
      ...["--certificate", "cert-manager", "--secret-path", path, "--failure-policy", "Ignore"],
      ...["--traces", "http://collector:4318", "--replicas", "1", "--namespace", "gate"],
    ],
    values: [
      ...["certificate=cert-manager", `secretPath=${path}`, "failurePolicy=Ignore"],
      ...["traces=http://collector:4318", "replicas=1", "namespace=gate"],
    ],
  },
];

for (const { what, options, values } of choices) {
  const chosen = options.includes("--secret-path") ? options : [...options, "--secret-path", "none"];

  Deno.test({
    name: `helm renders the objects of the manifests: ${what}`,
    ignore: helm.path === undefined,
    fn: () =>
      withFolder({ "policies/named.yaml": policy }, async (folder) => {
        const policies = ["--policies", `${folder}/policies`];
        const { objects } = await printed([...policies, ...chosen]);
        const made = await written(folder, [...policies, "--secret-path", "none", "--format", "helm"]);
        const settings = values.flatMap((value) =>
          ["--set-string", value].with(0, /=\d+$/.test(value) ? "--set" : "--set-string")
        );
        assert.deepEqual(
          byName(await output(helm, ["template", "postern", made, ...settings])),
          byName(objects),
        );
        // A chart that is made with the options has them as its values.
        const chart = await written(`${folder}/own`, [...policies, ...chosen, "--format", "helm"]);
        assert.deepEqual(byName(await output(helm, ["template", "postern", chart])), byName(objects));
      }),
  });

  Deno.test({
    name: `kustomize builds the objects of the manifests: ${what}`,
    ignore: kustomize.path === undefined,
    fn: () =>
      withFolder({ "policies/named.yaml": policy }, async (folder) => {
        const policies = ["--policies", `${folder}/policies`];
        const { objects } = await printed([...policies, ...chosen]);
        const made = await written(folder, [...policies, ...chosen, "--format", "kustomize"]);
        assert.deepEqual(byName(await output(kustomize, ["build", made])), byName(objects));
      }),
  });
}

Deno.test({
  name: "helm renders policies of the cluster with their kinds, which stay when the chart is removed",
  ignore: helm.path === undefined,
  fn: () =>
    withFolder({ "policies/named.yaml": policy }, async (folder) => {
      const policies = ["--policies", `${folder}/policies`, "--secret-path", "none"];
      const { objects } = await printed(["--watch-policies", "--secret-path", "none"]);
      const made = await written(folder, [...policies, "--format", "helm"]);
      const rendered = await output(helm, ["template", "postern", made, "--set", "policies=cluster"]);
      const isDefinition = ({ kind }: JsonObject) => kind === "CustomResourceDefinition";
      const others = rendered.filter((object) => !isDefinition(object));
      // The checksum of the policies that the chart was made with has no meaning where none of them is served.
      const checksum = (all: readonly JsonObject[]) =>
        JSON.parse(JSON.stringify(byName(all)).replace(/"postern\/policies":"\w*"/, '"postern/policies":""'));
      assert.deepEqual(checksum(others), checksum(objects));
      const { objects: definitions } = await printed(["--crds"]);
      const kept = rendered.filter(isDefinition).map((definition) => {
        const { annotations, ...metadata } = definition["metadata"] as JsonObject;
        assert.deepEqual(annotations, { "helm.sh/resource-policy": "keep" });
        return { ...definition, metadata };
      });
      assert.deepEqual(byName(kept), byName(definitions));
    }),
});

for (const namespace of ["*", "exempt", ""]) {
  Deno.test({
    name: `helm's exceptionNamespace is the manifests' --exception-namespace: "${namespace}"`,
    ignore: helm.path === undefined,
    fn: () =>
      withFolder({ "policies/named.yaml": policy }, async (folder) => {
        const option = ["--exception-namespace", namespace, "--secret-path", "none"];
        const { objects } = await printed(["--watch-policies", ...option]);
        const expected = deploymentArguments(objects);
        assert.ok(expected.includes(`--exception-namespace=${namespace}`), expected.join(" "));
        const policies = ["--policies", `${folder}/policies`];
        const made = await written(folder, [...policies, "--secret-path", "none", "--format", "helm"]);
        const values = ["policies=cluster", "definitions=false", `exceptionNamespace=${namespace}`];
        const set = values.flatMap((value) => ["--set", value]);
        assert.deepEqual(
          deploymentArguments(await output(helm, ["template", "postern", made, ...set])),
          expected,
        );
        // A chart that is made with the option has it as its value.
        const chart = await written(`${folder}/own`, [...policies, ...option, "--format", "helm"]);
        const rendered = await output(helm, ["template", "postern", chart, "--set", "policies=cluster"]);
        assert.deepEqual(deploymentArguments(rendered), expected);
      }),
  });
}

/** The arguments of the server in the Deployment. */
function deploymentArguments(objects: readonly JsonObject[]): readonly string[] {
  const deployment = objects.find(({ kind }) => kind === "Deployment")!;
  const [container] = asList(dig(deployment, "spec", "template", "spec", "containers"));
  return asList(field(container, "args")).map(String);
}

Deno.test({
  name: "helm's values may leave out the namespace and add the dashboard, and wrong ones are refused",
  ignore: helm.path === undefined,
  fn: () =>
    withFolder({ "policies/named.yaml": policy }, async (folder) => {
      const made = await written(folder, ["--policies", `${folder}/policies`, "--format", "helm"]);
      const template = ["template", "postern", made];
      const kinds = (await output(helm, [...template, "--set", "createNamespace=false"])).map(({ kind }) =>
        kind
      );
      assert.ok(!kinds.includes("Namespace") && kinds.includes("Deployment"));
      const map =
        byName(await output(helm, [...template, "--set", "dashboard=true"]))["ConfigMap postern-dashboard"];
      const { "postern.json": text } = map!["data"] as Record<string, string>;
      assert.equal(JSON.parse(text!).title, "Postern");
      for (
        const wrong of [
          "certificate=mine",
          "policies=both",
          "replicas=0",
          "secretPath=short",
          "unheard=of",
          'namespace=a"b',
        ]
      ) {
        const { success } = await new Deno.Command(helm.path!, { args: [...template, "--set", wrong] })
          .output();
        assert.equal(success, false, wrong);
      }
    }),
});

Deno.test({
  name: "helm renders a certificate that is given as the Secret that the pods mount",
  ignore: helm.path === undefined,
  fn: () =>
    withFolder({ "policies/named.yaml": policy }, async (folder) => {
      const policies = ["--policies", `${folder}/policies`, "--secret-path", "none"];
      const made = await written(folder, [...policies, "--format", "helm", "--certificate", "make"]);
      const { documents } = parseDocuments(await Deno.readTextFile(`${made}/values.yaml`), "values.yaml");
      const { tls } = documents[0]!.value as { tls: Record<string, string> };
      const rendered = byName(await output(helm, ["template", "postern", made]));
      assert.match(tls["certificate"]!, /^-----BEGIN CERTIFICATE-----/);
      assert.deepEqual(rendered["Secret postern-tls"]!["data"], {
        "tls.crt": btoa(tls["certificate"]!),
        "tls.key": btoa(tls["key"]!),
        "ca.crt": btoa(tls["authority"]!),
      });
      const { objects } = await printed([...policies, "--certificate", "make"]);
      assert.deepEqual(rendered["Deployment postern"], byName(objects)["Deployment postern"]);
    }),
});

Deno.test("install writes nothing into a folder with other files", async () => {
  await withFolder({ "policies/named.yaml": policy }, async (folder) => {
    const said: string[] = [];
    const args = ["manifests", "--policies", `${folder}/policies`, "--format", "helm"];
    const terminal = { out: () => {}, err: (line: string) => void said.push(line) };
    assert.equal(await run([...args, "--out", `${folder}/policies`], terminal), 2);
    assert.match(said.join("\n"), /it holds other files, and no Chart.yaml/);
    const file = `${folder}/policies/named.yaml`;
    assert.equal(await run([...args, "--out", file], terminal), 2);
    assert.equal(said.at(-1), `error: cannot write to ${file}/Chart.yaml: A part of its path is no folder`);
    assert.equal(await run(args, terminal), 2);
    assert.match(said.join("\n"), /--format helm needs --out/);
  });
});

const refused: [options: readonly string[], said: RegExp][] = [
  [["--namespace", "Gate"], /--namespace Gate: a namespace has lower-case letters/],
  [["--image", "my image"], /--image my image: this is no reference/],
  [["--replicas", "0"], /--replicas 0: nothing would answer/],
  [["--traces", "collector:4318"], /--traces collector:4318: write an address such as http/],
  [["--out", "chart"], /--out needs --format helm or kustomize/],
];
for (const [options, message] of refused) {
  Deno.test(`manifests refuses ${options.join(" ")}`, () =>
    withFolder({ "policies/named.yaml": policy }, async (folder) => {
      const said: string[] = [];
      const terminal = { out: () => assert.fail(), err: (line: string) => void said.push(line) };
      assert.equal(await run(["manifests", "--policies", `${folder}/policies`, ...options], terminal), 2);
      assert.match(said.join("\n"), message);
    }));
}

const shirts = [{ condition: "eq .a 1", value: 1 }, { condition: "eq .a 2", value: 2 }];

const trees: readonly [what: string, make: () => ReturnType<typeof vary>, text: string][] = [
  ["equal parts appear once", () => vary(shirts, () => ({ size: "m" })), 'size: "m"\n'],
  [
    "a field that differs",
    () => vary(shirts, (value) => ({ size: value, color: "red" })),
    '{{- if eq .a 1 }}\nsize: 1\n{{- end }}\n{{- if eq .a 2 }}\nsize: 2\n{{- end }}\ncolor: "red"\n',
  ],
  [
    "fields and items of one tree alone",
    () => vary(shirts, (value) => value === 1 ? { list: ["a", "b"] } : { list: ["a"], more: {}, most: 1 }),
    'list:\n  - "a"\n  {{- if eq .a 1 }}\n  - "b"\n  {{- end }}\n{{- if eq .a 2 }}\nmore: {}\nmost: 1\n{{- end }}\n',
  ],
  [
    "nested choices",
    () =>
      vary(
        shirts,
        (a) =>
          vary([{ condition: ".b", value: true }, { condition: "not .b", value: false }], (b) => ({
            both: a === 1 && b,
          })),
      ),
    "{{- if eq .a 1 }}\n{{- if .b }}\nboth: true\n{{- end }}\n{{- if not .b }}\nboth: false\n{{- end }}\n{{- end }}\n" +
    "{{- if eq .a 2 }}\nboth: false\n{{- end }}\n",
  ],
  [
    "a text that looks like a mark of another value",
    () => ({ text: "HELM[.Values.tls.key]", namespace: "HELM[.Values.namespace]" }),
    'text: "HELM[.Values.tls.key]"\nnamespace: "{{ .Values.namespace }}"\n',
  ],
  [
    "braces in a text, and an expression",
    () => ({ text: "a {{ b }}", number: new Part({ kind: "expression", text: "int .c" }) }),
    'text: "a {{ "{{" }} b }}"\nnumber: {{ int .c }}\n',
  ],
];

for (const [what, make, text] of trees) {
  Deno.test(`a Helm template: ${what}`, () => assert.equal(helmTemplate(make()), text));
}

Deno.test("a Helm template of objects has a document for each", () => {
  assert.equal(helmDocuments([{ kind: "A" }, { kind: "B" }]), '---\nkind: "A"\n---\nkind: "B"\n');
});
