import type { JsonObject } from "../../json/mod.ts";
import type { CertificateSource, ManifestOptions } from "../manifests/manifest_options.ts";
import { defaultResources } from "../manifests/workload.ts";
import { toYaml } from "../../yaml/mod.ts";

/** A value of the chart. */
interface ChartValue {
  readonly about: string;
  /** The JSON schema of the value. */
  readonly schema: JsonObject;
  of(options: ManifestOptions): JsonObject[string];
}

const text = { type: "string" } as const;

const certificateNames: Readonly<Record<CertificateSource["from"], string>> = {
  "postern": "postern",
  "cert-manager": "cert-manager",
  "texts": "given",
};

/** Every value of the chart. */
const values: Readonly<Record<string, ChartValue>> = {
  namespace: {
    about: "The namespace that holds everything",
    schema: { ...text, pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" },
    of: ({ namespace }) => namespace,
  },
  createNamespace: {
    about: "Whether the chart makes the namespace; not when `helm install --create-namespace` made it",
    schema: { type: "boolean" },
    of: () => true,
  },
  replicas: {
    about: "How many pods; with two or more there is a PodDisruptionBudget",
    schema: { type: "integer", minimum: 1 },
    of: ({ replicas }) => replicas,
  },
  image: {
    about: "The image of the Dockerfile",
    schema: { ...text, minLength: 1 },
    of: ({ image }) => image,
  },
  resources: {
    about:
      "Requests and limits of the container. The heap's size in the image fits this limit (docs/memory.md)",
    schema: { type: "object" },
    of: () => defaultResources,
  },
  policies: {
    about:
      "files: the policies that the chart was made with, as ConfigMaps. cluster: objects of the cluster, watched (serve --watch-policies)",
    schema: { enum: ["files", "cluster"] },
    of: ({ follows }) => follows ? "cluster" : "files",
  },
  definitions: {
    about:
      "With policies: cluster, whether the chart makes the kinds of policies and reports; not where Kyverno's are",
    schema: { type: "boolean" },
    of: () => true,
  },
  exceptionNamespace: {
    about:
      'With policies: cluster, the only namespace whose PolicyExceptions count; "*" for all, "" for none (as in Kyverno\'s chart)',
    schema: { ...text, pattern: "^([*]|[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$" },
    of: ({ exceptionNamespace = "*" }) => exceptionNamespace,
  },
  failurePolicy: {
    about: "AsWritten: as each policy says. Ignore: nothing is refused because a policy cannot be evaluated",
    schema: { enum: ["AsWritten", "Ignore"] },
    of: ({ ignoreFailures }) => ignoreFailures === true ? "Ignore" : "AsWritten",
  },
  certificate: {
    about: "postern: made in the cluster. cert-manager: made by it. given: the PEM texts below",
    schema: { enum: Object.values(certificateNames) },
    of: ({ certificate: { from } }) => certificateNames[from],
  },
  tls: {
    about:
      "For certificate: given, PEM texts of the certificate with its chain, its key, and the authority to trust",
    schema: {
      type: "object",
      properties: { certificate: text, key: text, authority: text },
      additionalProperties: false,
    },
    of: ({ certificate: source }) =>
      source.from === "texts"
        ? { certificate: source.cert, key: source.key, authority: source.ca }
        : { certificate: "", key: "", authority: "" },
  },
  secretPath: {
    about:
      "A path that only the API server and the pods know, such as /$(openssl rand -hex 16); empty for none",
    schema: { ...text, pattern: "^(/[A-Za-z0-9._~-]{16,200})?$" },
    of: ({ secretPath = "" }) => secretPath,
  },
  traces: {
    about:
      "Where traces go: the address of an OTLP collector over HTTP, such as http://collector:4318; empty for none",
    schema: text,
    of: ({ traces = "" }) => traces,
  },
  dashboard: {
    about: "Whether there is a ConfigMap with a dashboard for Grafana's sidecar (label grafana_dashboard)",
    schema: { type: "boolean" },
    of: () => false,
  },
};

/** The chart's values for these options. */
export function chartValues(options: ManifestOptions): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.of(options)]));
}

/** `values.yaml`. */
export function valuesText(given: JsonObject): string {
  return Object.entries(values).map(([name, { about }]) => `# ${about}.\n${toYaml({ [name]: given[name]! })}`)
    .join("\n");
}

/** `values.schema.json`. */
export const valuesSchema: JsonObject = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  required: Object.keys(values),
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(
      Object.entries(values).map(([name, { about, schema }]) => [name, { description: about, ...schema }]),
    ),
    // Helm gives `global` to every chart that another chart uses.
    global: { type: "object" },
  },
};
