/** An environment variable that Postern reads. */
export interface EnvironmentNote {
  readonly name: string;
  /** The part of Postern that reads the variable. */
  readonly reader: "commands" | "the server" | "bundles" | "bundles on Node.js";
  readonly about: string;
}

/** Every environment variable that Postern reads; a test compares the list with the code. */
export const environmentNotes: readonly EnvironmentNote[] = [
  { name: "KUBECONFIG", reader: "commands", about: "Files of kubeconfig, when `--kubeconfig` names none." },
  {
    name: "HOME",
    reader: "commands",
    about: "Where `.kube/config` and `.docker/config.json` are looked for.",
  },
  {
    name: "DOCKER_CONFIG",
    reader: "commands",
    about: "The folder of Docker's `config.json`, which has logins.",
  },
  { name: "NO_COLOR", reader: "commands", about: "Set to anything: nothing is printed in colour." },
  {
    name: "KUBERNETES_SERVICE_HOST",
    reader: "the server",
    about: "The API server's address in a pod; Kubernetes sets it.",
  },
  {
    name: "KUBERNETES_SERVICE_PORT",
    reader: "the server",
    about: "The API server's port in a pod; Kubernetes sets it.",
  },
  {
    name: "POD_NAME",
    reader: "the server",
    about: "The name of the pod, which the Lease shows of the leader; the manifests set it.",
  },
  { name: "POD_NAMESPACE", reader: "the server", about: "The namespace of the pod; the manifests set it." },
  {
    name: "OTEL_DENO",
    reader: "the server",
    about: "`true`: Deno's OpenTelemetry sends traces to where its other variables say.",
  },
  {
    name: "POSTERN_SECRET_PATH",
    reader: "bundles",
    about: "Everything but health is served below this path: `/` and a random word.",
  },
  {
    name: "POSTERN_API_SERVER",
    reader: "bundles",
    about: "The address of the API server. Without it every look-up in a cluster fails.",
  },
  { name: "POSTERN_API_TOKEN", reader: "bundles", about: "The token of a service account for it." },
  { name: "POSTERN_API_CA", reader: "bundles", about: "The certificate of its authority, in PEM." },
  {
    name: "POSTERN_LOG_LEVEL",
    reader: "bundles",
    about: "`debug`, `info`, `warn` or `error`. Default info.",
  },
  { name: "PORT", reader: "bundles on Node.js", about: "The port. Default 8080." },
  { name: "POSTERN_CERT_FILE", reader: "bundles on Node.js", about: "A certificate: TLS is served with it." },
  { name: "POSTERN_KEY_FILE", reader: "bundles on Node.js", about: "The key of the certificate." },
];
