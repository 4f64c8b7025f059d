import { command } from "../command.ts";
import { dialectOption, imageOptions, policyFileOptions } from "../options.ts";
import { gatherRandomness } from "../gather_randomness.ts";

export const serve = command({
  name: "serve",
  about: "Answer admission reviews",
  options: {
    ...policyFileOptions,
    policies: { ...policyFileOptions.policies, default: [] },
    clusterObjects: {
      type: "list",
      value: "path",
      about: "objects that stand for a cluster, as files and folders",
    },
    cluster: { type: "list", value: "path", about: "the same as --cluster-objects", hidden: true },
    kubeconfig: {
      type: "text",
      value: "file",
      about: "decide with this live cluster, not with an embedded one",
    },
    host: { type: "text", value: "address", about: "where to listen", default: "127.0.0.1" },
    port: { type: "number", value: "number", about: "port of the webhook", default: 9443 },
    metricsPort: { type: "number", value: "number", about: "port of the metrics", default: 8000 },
    tlsCert: { type: "text", value: "file", about: "PEM certificate chain" },
    tlsKey: { type: "text", value: "file", about: "PEM private key" },
    tlsCa: { type: "text", value: "file", about: "PEM of the certificate's authority, for webhooks" },
    service: {
      type: "text",
      value: "namespace/name",
      about: "the service that the API server calls",
      default: "postern/postern",
    },
    servicePort: { type: "number", value: "number", about: "the port of that service", default: 443 },
    certificateSecret: {
      type: "text",
      value: "namespace/name",
      about: "where replicas keep the certificate that Postern makes",
    },
    webhooks: {
      type: "text",
      value: "name",
      about:
        "webhook configurations that get the webhooks of the policies once the service has a ready replica; not with --watch-policies",
    },
    certDir: { type: "text", value: "folder", about: "where a certificate that Postern makes is kept" },
    tls: { type: "flag", about: "speak plain HTTP, behind something that speaks TLS", default: true },
    serveAdmissionPolicies: {
      type: "flag",
      about:
        "evaluate ValidatingAdmissionPolicies and MutatingAdmissionPolicies too, which the API server enforces itself",
    },
    scanPreprocessors: {
      type: "flag",
      about: "let callers of /scan bring JMESPath expressions (preprocessors)",
    },
    ...imageOptions,
    localRegistries: {
      type: "flag",
      about: "read image registries on this machine (127.0.0.1, localhost) too",
    },
    watchPolicies: {
      type: "flag",
      about:
        "take policies that are objects of the live cluster, and keep webhook configurations and statuses for them",
    },
    ttlInterval: {
      type: "number",
      value: "seconds",
      about: "time between two looks for objects whose cleanup.kyverno.io/ttl is over",
      default: 60,
    },
    omitEvents: {
      type: "text",
      value: "reasons",
      about: "reasons of events that are not written, with commas",
      default: "PolicyApplied,PolicySkipped",
    },
    openReports: { type: "flag", about: "write reports of openreports.io instead of wgpolicyk8s.io" },
    reportResults: {
      type: "text",
      value: "results",
      about: "results that reports have rows of, with commas",
      default: "pass,fail,warn,error,skip",
    },
    forceFailurePolicyIgnore: { type: "flag", about: "take every failurePolicy for Ignore" },
    exceptionNamespace: {
      type: "text",
      value: "name",
      about: "the only namespace whose exceptions count; * for all, empty for none",
      default: "*",
    },
    installNames: {
      type: "text",
      value: "names",
      about: "how objects that Postern keeps in the cluster are called",
      choices: ["postern", "kyverno"],
      default: "postern",
    },
    clientCa: {
      type: "text",
      value: "file",
      about: "PEM of the authority of callers' certificates: take reviews only from those who show one",
    },
    secretPath: {
      type: "text",
      value: "path",
      about: "take reviews only below this path (or $POSTERN_SECRET_PATH)",
    },
    allowServiceAddress: {
      type: "list",
      value: "network",
      about: "loopback or link-local network, or host name, that policies may call",
      default: [],
    },
    namespacedServiceCalls: { type: "flag", about: "let policies of namespaces call services too" },
    record: {
      type: "text",
      value: "folder",
      about: "keep reviews with their answers there, Secrets without values, for replay and explain --review",
    },
    recordReviews: { type: "number", value: "number", about: "how many of them are kept", default: 1000 },
    recordMegabytes: { type: "number", value: "number", about: "how much room they may take", default: 100 },
    ...dialectOption,
    logLevel: {
      type: "text",
      value: "level",
      about: "least level of the log",
      choices: ["debug", "info", "warn", "error"],
      default: "info",
    },
  },
  examples: [
    { does: "serve a folder of policies with a certificate made now", line: "serve --policies policies" },
    {
      does: "decide with a live cluster",
      line: "serve --policies policies --kubeconfig ~/.kube/config",
    },
    {
      does: "keep the last reviews, and try changed policies on them",
      line: "serve --policies policies --record records && postern replay records --policies changed",
    },
  ],
  async run(_, options, terminal) {
    if (options.tls) gatherRandomness();
    const { serve } = await import("../serve.ts");
    const cluster = [...options.clusterObjects, ...options.cluster];
    return await serve({ ...options, cluster }, terminal);
  },
});
