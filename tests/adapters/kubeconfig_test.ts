/** The API server's address and credentials, from a kubeconfig or a service account. */
import assert from "node:assert/strict";
import { inClusterEndpoint, kubeconfigEndpoint, LiveCluster } from "../../lib/adapters/mod.ts";
import { isFault } from "../../lib/json/mod.ts";
import { countingEntropy, fixedClock } from "./fakes.ts";

Deno.test("kubeconfig: data, files, contexts and tokens", async () => {
  const text = `
clusters:
- {name: one, cluster: {server: "https://one.example:6443/", certificate-authority-data: "${btoa("CA 1")}"}}
- {name: two, cluster: {server: "https://two.example", certificate-authority: ca.pem}}
users:
- {name: cert, user: {client-certificate: /abs/cert.pem, client-key-data: "${btoa("KEY")}"}}
- {name: token, user: {token: T, tokenFile: tok}}
contexts:
- {name: first, context: {cluster: one, user: cert, namespace: team}}
- {name: second, context: {cluster: two, user: token}}
current-context: first
`;
  const input = { text, folder: "/home/me", readText: (file: string) => Promise.resolve(`read ${file}`) };
  assert.deepEqual(await kubeconfigEndpoint(input), {
    server: "https://one.example:6443",
    ca: "CA 1",
    clientCertificate: "read /abs/cert.pem",
    clientKey: "KEY",
    namespace: "team",
  });
  assert.deepEqual(await kubeconfigEndpoint({ ...input, context: "second" }), {
    server: "https://two.example",
    ca: "read /home/me/ca.pem",
    tokenFile: "/home/me/tok",
  });
});

const refusals: [what: string, cluster: string, user: string, message: string][] = [
  [
    "an exec plugin",
    "server: https://a",
    "exec: {command: x}",
    'kubeconfig: user "u": exec is not supported; use a client certificate or a token: `kubectl create token NAME`',
  ],
  [
    "unchecked certificates",
    "server: https://a, insecure-skip-tls-verify: true",
    "token: t",
    'kubeconfig: cluster "c": insecure-skip-tls-verify is not supported; give certificate-authority-data',
  ],
  [
    "no server",
    "server: nowhere",
    "token: t",
    'kubeconfig: cluster "c": server is no address: "nowhere"',
  ],
  [
    "half a client certificate",
    "server: https://a",
    "client-key-data: eA==",
    'kubeconfig: user "u": client-certificate is missing',
  ],
  [
    "broken base64",
    "server: https://a, certificate-authority-data: '%'",
    "token: t",
    "kubeconfig: certificate-authority-data is not base64",
  ],
];
for (const [what, cluster, user, message] of refusals) {
  Deno.test(`kubeconfig: ${what} is refused with a reason`, async () => {
    const text = `{clusters: [{name: c, cluster: {${cluster}}}], users: [{name: u, user: {${user}}}],
      contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`;
    const endpoint = await kubeconfigEndpoint({ text, folder: "", readText: Deno.readTextFile });
    assert.equal(isFault(endpoint) ? endpoint.message : "", message);
  });
}

Deno.test("a process in a cluster uses the service account, and outside there is none", async () => {
  const env = (name: string) =>
    ({ KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" })[name];
  const readText = (file: string) =>
    Promise.resolve(file.endsWith("namespace") ? "postern\n" : `read ${file}`);
  assert.deepEqual(await inClusterEndpoint({ env, readText, mount: "/sa" }), {
    server: "https://[fd00::1]:6443",
    ca: "read /sa/ca.crt",
    tokenFile: "/sa/token",
    namespace: "postern",
  });
  assert.equal(await inClusterEndpoint({ env: () => undefined, readText }), undefined);
});

Deno.test("live cluster: certificates that cannot be read are refused without showing the key", () => {
  const cluster = LiveCluster.connect(
    { server: "https://a.example", clientCertificate: "no certificate", clientKey: "SECRET" },
    { clock: fixedClock(), entropy: countingEntropy() },
  );
  assert.ok(isFault(cluster));
  assert.match(cluster.message, /^https:\/\/a\.example: the certificates or the key cannot be used: /);
  assert.doesNotMatch(cluster.message, /SECRET/);
});
