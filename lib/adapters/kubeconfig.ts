import {
  asList,
  asObject,
  asString,
  Fault,
  field,
  isFault,
  type Json,
  textField,
  withoutEnding,
} from "../json/mod.ts";
import { parseYaml } from "../yaml/mod.ts";

/** The address of an API server and the credentials for it. Certificates and keys are PEM texts. */
export interface Endpoint {
  /** `https://host:port`, perhaps with a path; no slash at the end. */
  readonly server: string;
  readonly ca?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** A bearer token that does not change. */
  readonly token?: string;
  /** A file with the bearer token; the client reads it again, because another program may renew the token. */
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly proxy?: string;
  /** The namespace of requests that name none. */
  readonly namespace?: string;
}

/** A kubeconfig file, and how to read the files that it names. */
export interface KubeconfigInput {
  readonly text: string;
  /** The folder of the file, at which relative paths in it start. */
  readonly folder: string;
  readonly readText: (path: string) => Promise<string>;
  /** The name of the context; the file's `current-context` when absent. */
  readonly context?: string;
}

/** Fields whose features neither Deno's HTTP client nor Postern supports, with an alternative for each. */
const unsupported: readonly {
  readonly in: "cluster" | "user";
  readonly name: string;
  readonly instead: string;
}[] = [
  { in: "user", name: "exec", instead: "use a client certificate or a token: `kubectl create token NAME`" },
  {
    in: "user",
    name: "auth-provider",
    instead: "use a client certificate or a token: `kubectl create token NAME`",
  },
  { in: "user", name: "as", instead: "use the credentials of the user itself" },
  { in: "cluster", name: "insecure-skip-tls-verify", instead: "give certificate-authority-data" },
  { in: "cluster", name: "tls-server-name", instead: "use a server address that the certificate names" },
];

/** Returns the endpoint of a kubeconfig file's context; a fault says what is missing or not supported. */
export async function kubeconfigEndpoint(input: KubeconfigInput): Promise<Endpoint | Fault> {
  const config = parseYaml(input.text);
  if (isFault(config)) return new Fault(`kubeconfig: ${config.message}`);
  const chosen = input.context ?? textField(config, "current-context");
  if (chosen === "") return new Fault("kubeconfig: there is no current-context; name a context");
  const context = named(config, "contexts", { name: chosen, part: "context" });
  if (isFault(context)) return context;
  const clusterName = textField(context, "cluster");
  const cluster = named(config, "clusters", { name: clusterName, part: "cluster" });
  if (isFault(cluster)) return cluster;
  const userName = textField(context, "user");
  const user = userName === "" ? {} : named(config, "users", { name: userName, part: "user" });
  if (isFault(user)) return user;
  const used = unsupportedField({ cluster, user }, { cluster: clusterName, user: userName });
  if (used !== undefined) return used;
  const server = withoutEnding(textField(cluster, "server"), "/");
  if (!/^https?:\/\/[^/]/.test(server) || !URL.canParse(server)) {
    return new Fault(`kubeconfig: cluster "${clusterName}": server is no address: ${JSON.stringify(server)}`);
  }
  const ca = await pem(input, cluster, "certificate-authority");
  if (isFault(ca)) return ca;
  const client = await keyPair(input, user, userName);
  if (isFault(client)) return client;
  const text = (from: Json, name: string) => asString(field(from, name)) || undefined;
  const tokenFile = text(user, "tokenFile");
  const username = text(user, "username");
  return present({
    server,
    ca,
    ...client,
    token: tokenFile === undefined ? text(user, "token") : undefined,
    tokenFile: tokenFile === undefined ? undefined : resolved(input.folder, tokenFile),
    basic: username === undefined ? undefined : { username, password: text(user, "password") ?? "" },
    proxy: text(cluster, "proxy-url"),
    namespace: text(context, "namespace"),
  });
}

/** The parts of a kubeconfig file that have {@link unsupported} fields. */
type Parts<T> = Readonly<Record<"cluster" | "user", T>>;

/** The fault of a feature that is not supported; `undefined` when the context uses none. */
function unsupportedField(parts: Parts<Json>, names: Parts<string>): Fault | undefined {
  for (const { in: part, name, instead } of unsupported) {
    const value = field(parts[part], name);
    if (value === undefined || value === null || value === false || value === "") continue;
    return new Fault(`kubeconfig: ${part} "${names[part]}": ${name} is not supported; ${instead}`);
  }
  return undefined;
}

/** Reads the certificate of a user and its key: both, or neither. */
async function keyPair(
  input: KubeconfigInput,
  user: Json,
  name: string,
): Promise<Optional<Pick<Endpoint, "clientCertificate" | "clientKey">> | Fault> {
  const clientCertificate = await pem(input, user, "client-certificate");
  if (isFault(clientCertificate)) return clientCertificate;
  const clientKey = await pem(input, user, "client-key");
  if (isFault(clientKey)) return clientKey;
  if ((clientCertificate === undefined) === (clientKey === undefined)) {
    return { clientCertificate, clientKey };
  }
  const missing = clientKey === undefined ? "client-key" : "client-certificate";
  return new Fault(`kubeconfig: user "${name}": ${missing} is missing`);
}

type Optional<T> = { readonly [Key in keyof T]: T[Key] | undefined };

/** Returns the endpoint without the fields that are `undefined`. */
function present({ server, ...rest }: Optional<Endpoint> & { readonly server: string }): Endpoint {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return { server, ...Object.fromEntries(given) };
}

function named(
  config: Json,
  list: string,
  { name, part }: { readonly name: string; readonly part: string },
): Json | Fault {
  const entry = asList(field(config, list)).find((each) => field(each, "name") === name);
  const found = asObject(field(entry, part));
  return found ?? new Fault(`kubeconfig: there is no ${part} ${JSON.stringify(name)} under ${list}`);
}

/** Reads a PEM text from `NAME-data` (base64) or else from the file that `NAME` names, as kubectl does. */
async function pem(input: KubeconfigInput, from: Json, name: string): Promise<string | undefined | Fault> {
  const encoded = asString(field(from, `${name}-data`)) ?? "";
  if (encoded !== "") {
    try {
      return atob(encoded.replace(/\s/g, ""));
    } catch {
      return new Fault(`kubeconfig: ${name}-data is not base64`);
    }
  }
  const path = textField(from, name);
  if (path === "") return undefined;
  try {
    return await input.readText(resolved(input.folder, path));
  } catch (error) {
    return new Fault(`kubeconfig: ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function resolved(folder: string, path: string): string {
  return path.startsWith("/") || folder === "" ? path : `${folder.replace(/\/$/, "")}/${path}`;
}

/** The folder in which Kubernetes mounts a pod's CA certificate, token and namespace. */
const defaultMount = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The environment variables and mounted files from which a pod gets the address of its API server and credentials. */
export interface InClusterInput {
  readonly env: (name: string) => string | undefined;
  readonly readText: (path: string) => Promise<string>;
  /** The folder of the service account; the one that Kubernetes uses when absent. */
  readonly mount?: string;
}

/** Returns the endpoint of the cluster in which this process runs; `undefined` outside a cluster. */
export async function inClusterEndpoint(input: InClusterInput): Promise<Endpoint | Fault | undefined> {
  const { env, readText, mount = defaultMount } = input;
  const host = env("KUBERNETES_SERVICE_HOST") ?? "", port = env("KUBERNETES_SERVICE_PORT") ?? "443";
  if (host === "") return undefined;
  try {
    const ca = await readText(`${mount}/ca.crt`);
    const namespace = (await readText(`${mount}/namespace`).catch(() => "")).trim();
    const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
    return { server, ca, tokenFile: `${mount}/token`, ...(namespace === "" ? {} : { namespace }) };
  } catch (error) {
    return new Fault(`service account: ${error instanceof Error ? error.message : String(error)}`);
  }
}
