import { command } from "../command.ts";
import { dialectOption, policyFileOptions } from "../options.ts";
import { version } from "../version.ts";

/** The image that the README's `docker build -t` makes. */
const defaultImage = `postern:${version}`;

export const manifests = command({
  name: "manifests",
  about: "Print what `kubectl apply -f` needs to run Postern with policies in a cluster",
  options: {
    ...policyFileOptions,
    policies: { ...policyFileOptions.policies, default: [] },
    watchPolicies: {
      type: "flag",
      about: "follow the policies that are objects of the cluster; those of files come on top",
    },
    exceptionNamespace: {
      type: "text",
      value: "name",
      about:
        "with --watch-policies, the only namespace whose PolicyExceptions count; * (as without it) for all, empty for none",
    },
    namespace: { type: "text", value: "name", about: "where it is installed", default: "postern" },
    image: { type: "text", value: "reference", about: "image of the Dockerfile", default: defaultImage },
    replicas: { type: "number", value: "number", about: "how many pods", default: 2 },
    certificate: {
      type: "text",
      value: "how",
      about:
        "postern: made in the cluster; make: made now; cert-manager; or a PEM file of certificate, key and authority",
      default: "postern",
    },
    secretPath: {
      type: "text",
      value: "path",
      about: "path that only the API server and the pods know: random, none, or the one of an earlier run",
      default: "random",
    },
    failurePolicy: {
      type: "text",
      value: "which",
      about: "Ignore: nothing is refused because a policy cannot be evaluated",
      choices: ["AsWritten", "Ignore"],
      default: "AsWritten",
    },
    traces: {
      type: "text",
      value: "address",
      about: "OTLP collector that takes traces over HTTP: http://collector:4318",
    },
    format: {
      type: "text",
      value: "form",
      about: "yaml: the objects; helm: a chart; kustomize: a base; the last two in a folder",
      choices: ["yaml", "helm", "kustomize"],
      default: "yaml",
    },
    out: { type: "text", value: "folder", about: "where the chart or the base is written" },
    dashboard: {
      type: "flag",
      about: "print a dashboard for Grafana instead, of the metrics that are served",
    },
    crds: {
      type: "flag",
      about:
        "print the definitions of the kinds of policies and reports instead, for policies as objects of the cluster",
    },
    ...dialectOption,
  },
  examples: [
    { does: "write what a cluster needs", line: "manifests --policies policies > deploy.yaml" },
    { does: "write the kinds of policies and reports", line: "manifests --crds > crds.yaml" },
    { does: "write a Helm chart", line: "manifests --policies policies --format helm --out chart" },
    { does: "follow the policies of the cluster", line: "manifests --watch-policies > deploy.yaml" },
    {
      does: "count only the exceptions that administrators write",
      line: "manifests --watch-policies --exception-namespace postern > deploy.yaml",
    },
    {
      does: "use cert-manager's certificates",
      line: "manifests --certificate cert-manager --namespace gate",
    },
  ],
  async run(_, options, terminal) {
    const { manifests } = await import("../manifests.ts");
    return await manifests(options, terminal);
  },
});
