import { restrict } from "../../engine/mod.ts";
import { asString, dig, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { toYaml } from "../../yaml/mod.ts";
import { definitions } from "../definitions/definitions.ts";
import {
  certificateSecret,
  labels,
  type ManifestOptions,
  pathSecret,
} from "../manifests/manifest_options.ts";
import { exceptionOption } from "../manifests/workload.ts";
import { makeManifests } from "../manifests/manifests.ts";
import { helmDocuments, helmTemplate, namespaceMark } from "./helm_template.ts";
import { chartValues, valuesSchema, valuesText } from "./helm_values.ts";
import { policyFiles } from "./kustomize_base.ts";
import type { PackageFile, PackageFormat, PackageInput } from "./package.ts";
import { type Option, Part, type Tree, vary } from "./variants.ts";

/**
 * A Helm chart. Its template combines the manifests for every choice of its values, so that it renders to the output
 * of `manifests` with the same choices.
 */
export const helmChart: PackageFormat = {
  name: "helm",
  use: "helm install postern DIR",
  files(input) {
    const { version, snapshot, files, options } = input;
    const maps = makeManifests(snapshot, files, options).objects.filter(({ kind }) => kind === "ConfigMap");
    const values = chartValues(options);
    return [
      { path: "Chart.yaml", text: toYaml(chart(version)) },
      { path: "values.yaml", text: valuesText(values) },
      { path: "values.schema.json", text: jsonText(valuesSchema) },
      { path: "templates/postern.yaml", text: template(input) },
      { path: "templates/definitions.yaml", text: definitionsTemplate },
      { path: "templates/dashboard.yaml", text: dashboardTemplate() },
      { path: "files/definitions.yaml", text: keptDefinitions() },
      { path: "files/dashboard.json", text: jsonText(input.dashboard) },
      ...maps.flatMap(policyFiles).map(({ path, text }): PackageFile => ({ path: `files/${path}`, text })),
    ];
  },
};

function chart(version: string): JsonObject {
  return {
    apiVersion: "v2",
    name: "postern",
    description: "A small gate for a Kubernetes cluster: Kyverno's policies, one process",
    type: "application",
    version,
    appVersion: version,
  };
}

const policies: readonly Option<"files" | "cluster">[] = (["files", "cluster"] as const).map((value) => ({
  condition: `eq .Values.policies "${value}"`,
  value,
}));

const certificates: readonly Option<ManifestOptions["certificate"]>[] = [
  { condition: 'eq .Values.certificate "postern"', value: { from: "postern" } },
  { condition: 'eq .Values.certificate "cert-manager"', value: { from: "cert-manager" } },
  { condition: 'eq .Values.certificate "given"', value: { from: "texts", cert: "", key: "", ca: "" } },
];

const failurePolicies: readonly Option<boolean>[] = [
  { condition: 'eq .Values.failurePolicy "AsWritten"', value: false },
  { condition: 'eq .Values.failurePolicy "Ignore"', value: true },
];

/** An optional text of the values: the template refers to the value, and does not contain the text. */
function optional(name: string): readonly Option<string | undefined>[] {
  return [
    { condition: `not .Values.${name}`, value: undefined },
    { condition: `.Values.${name}`, value: "from the values" },
  ];
}

const replicas: readonly Option<number>[] = [
  { condition: "ge (int .Values.replicas) 2", value: 2 },
  { condition: "lt (int .Values.replicas) 2", value: 1 },
];

const namespaces: readonly Option<boolean>[] = [
  { condition: ".Values.createNamespace", value: true },
  { condition: "not .Values.createNamespace", value: false },
];

function template({ snapshot, files, options }: PackageInput): string {
  const sources = {
    files: { snapshot, files, follows: false },
    // The needs of policies in the cluster are unknown when the chart is made.
    cluster: { snapshot: restrict(snapshot, () => false), files: [], follows: true },
  };
  const namespace = namespaceMark;
  const trees = vary(
    policies,
    (source) =>
      vary(
        certificates,
        (certificate) =>
          vary(failurePolicies, (ignoreFailures) =>
            vary(optional("secretPath"), (secretPath) =>
              vary(optional("traces"), (traces) =>
                vary(replicas, (replicas) =>
                  vary(namespaces, (withNamespace) => {
                    const { snapshot, files, follows } = sources[source];
                    const chosen = {
                      certificate,
                      ignoreFailures,
                      secretPath,
                      traces,
                      replicas,
                      follows,
                    };
                    const made = makeManifests(snapshot, files, { ...options, namespace, ...chosen });
                    return made.objects.filter(({ kind }) =>
                      withNamespace || kind !== "Namespace"
                    )
                      .map(withExpressions);
                  }))))),
      ),
  );
  return helmDocuments(trees as readonly Tree[]);
}

/** Replaces values in objects by expressions of Helm's language. */
function withExpressions(object: JsonObject): Tree {
  const name = asString(dig(object, "metadata", "name")) ?? "";
  switch (object["kind"]) {
    case "ConfigMap":
      return { ...object, data: Object.fromEntries(policyFiles(object).map(fileEntry)) };
    case "Secret":
      return isObject(object["data"]) ? { ...object, data: secretData(name, object["data"]) } : object;
    case "Deployment":
      return mapped(object, deploymentValues);
    default:
      return object;
  }
}

/** A file of policies is not a template: its braces must stay. */
function fileEntry({ path }: PackageFile): [string, Tree] {
  return [path.slice(path.indexOf("/") + 1), expression(`.Files.Get "files/${path}" | toJson`)];
}

function secretData(name: string, data: JsonObject): Tree {
  const sources: Readonly<Record<string, string>> = name === certificateSecret
    ? {
      "tls.crt": ".Values.tls.certificate",
      "tls.key": ".Values.tls.key",
      "ca.crt": ".Values.tls.authority",
    }
    : name === pathSecret
    ? { path: ".Values.secretPath" }
    : {};
  const entries = Object.entries(data).map(([key, value]): [string, Tree] => {
    const source = sources[key];
    return [key, source === undefined ? value : expression(`${source} | b64enc | quote`)];
  });
  return Object.fromEntries(entries);
}

/** The fields of the Deployment that values set, by name; for environment variables, by the variable's name. */
const deploymentValues: Readonly<Record<string, string>> = {
  replicas: "int .Values.replicas",
  image: ".Values.image | quote",
  resources: "toJson .Values.resources",
  OTEL_EXPORTER_OTLP_ENDPOINT: ".Values.traces | quote",
};

function mapped(value: Json, expressions: Readonly<Record<string, string>>): Tree {
  if (typeof value === "string" && value.startsWith(exceptionOption)) {
    return expression(`printf "${exceptionOption}%s" .Values.exceptionNamespace | quote`);
  }
  if (Array.isArray(value)) return value.map((each: Json) => mapped(each, expressions));
  if (!isObject(value)) return value;
  const variable = expressions[asString(value["name"]) ?? ""];
  const entries = Object.entries(value).map(([key, field]): [string, Tree] => {
    const found = key === "value" ? variable : expressions[key];
    return [key, found === undefined ? mapped(field, expressions) : expression(found)];
  });
  return Object.fromEntries(entries);
}

function expression(text: string): Part {
  return new Part({ kind: "expression", text });
}

const definitionsTemplate = `{{- if and (eq .Values.policies "cluster") .Values.definitions }}
{{ .Files.Get "files/definitions.yaml" }}
{{- end }}
`;

/** Definitions stay when the chart is removed: deleting them would delete all policies and reports. */
function keptDefinitions(): string {
  return definitions().map((definition) => {
    const annotations = { "helm.sh/resource-policy": "keep" };
    return toYaml({ ...definition, metadata: { ...definition["metadata"] as JsonObject, annotations } });
  }).join("---\n");
}

/** Grafana's sidecar finds dashboards by this label. */
function dashboardTemplate(): string {
  const map: Tree = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "postern-dashboard",
      namespace: namespaceMark,
      labels: { ...labels, grafana_dashboard: "1" },
    },
    data: { "postern.json": expression('.Files.Get "files/dashboard.json" | toJson') },
  };
  return `{{- if .Values.dashboard }}\n${helmTemplate(map)}{{- end }}\n`;
}

function jsonText(value: Json): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
