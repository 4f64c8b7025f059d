/** Bundles look host names up: no name leads a policy to the machine that the bundle runs on. */
import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { fakeServer } from "../adapters/fake_server.ts";
import { admissionReview } from "../server/review.ts";
import { denoRuntime } from "./deno_runtime.ts";
import { lambdaRuntime } from "./lambda_runtime.ts";
import { runOnNode } from "./node_program.ts";
import { nodeRuntime } from "./node_runtime.ts";
import { answers, type RunningBundle } from "./running_bundle.ts";
import { workerdRuntime } from "./workerd_runtime.ts";

/** Policies that call the service, and the registry of the image, that an object names. */
const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: calls }
spec:
  validationFailureAction: Enforce
  rules:
  - name: service
    match: { any: [{ resources: { kinds: [ConfigMap] } }] }
    context:
    - name: answer
      apiCall: { method: GET, service: { url: "http://{{ request.object.data.host }}/" } }
    validate:
      message: "the service answers {{ answer }}"
      deny: { conditions: { any: [{ key: "{{ answer }}", operator: NotEquals, value: nothing }] } }
  - name: registry
    match: { any: [{ resources: { kinds: [Secret] } }] }
    context:
    - name: image
      imageRegistry:
        reference: "{{ request.object.data.host }}/app:v1"
        imageRegistryCredentials: { allowInsecureRegistry: true }
    validate:
      message: "the image is {{ image.image }}"
      deny: { conditions: { any: [{ key: "{{ image.image }}", operator: NotEquals, value: nothing }] } }
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: expression }
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules:
    - { apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [endpoints] }
  validations:
  - expression: http.Get("http://" + object.data.host + "/").statusCode == 200
    message: the service does not answer
`;

type Caller = readonly [what: string, kind: string, resource: string, refused: RegExp];

const callers: readonly Caller[] = [
  ["an apiCall", "ConfigMap", "configmaps", /is not allowed: IP \S+ falls in blocked range/],
  ["a read of a registry", "Secret", "secrets", /the address is not allowed/],
  ["CEL's http", "Endpoints", "endpoints", /is not allowed: IP \S+ falls in blocked range/],
];

/** The callers on workerd, which has no look-ups: its network refuses the connection. */
const callersOnWorkerd = callers.map((
  [what, kind, resource],
): Caller => [what, kind, resource, /internal error/]);

/** A name that the rules do not list, and that this machine's resolver leads to the machine itself. */
const name = await nameOfThisMachine();

async function nameOfThisMachine(): Promise<string | undefined> {
  for (const host of [Deno.hostname(), "ip6-loopback", "localhost.localdomain"]) {
    const found = await lookup(host, { all: true }).catch(() => []);
    if (found.some(({ address }) => /^127\.|^::1$/.test(address))) return host;
  }
  return undefined;
}

for (const { target, isHere, serve } of [denoRuntime, nodeRuntime, lambdaRuntime, workerdRuntime]) {
  const ignore = name === undefined || !await isHere();
  Deno.test({
    name: `a bundle for ${target} calls no host name that leads to its machine`,
    ignore,
  }, async (t) => {
    const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
    const secret = fakeServer(() => Response.json("secret"));
    try {
      const source = join(folder, "policy.yaml"), file = join(folder, "postern.mjs"), said: string[] = [];
      await Deno.writeTextFile(source, policies);
      const say = (line: string): void => void said.push(line);
      const args = ["bundle", "--policies", source, "--out", file, "--target", target];
      assert.equal(await run(args, { out: say, err: say }), 0, said.join("\n"));
      await using running = await serve({ file, folder, settings: {}, hosts: [name!], network: "public" });
      const host = `${name}:${new URL(secret.address).port}`;
      for (const [what, kind, resource, refused] of target === "workerd" ? callersOnWorkerd : callers) {
        await t.step(what, async () => {
          const object = { apiVersion: "v1", kind, metadata: { name: "web" }, data: { host } };
          assert.match(await answerTo(running, admissionReview({ kind, resource, object })), refused);
          assert.deepEqual(secret.received, []);
        });
      }
    } finally {
      await secret.close();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

async function answerTo({ address }: RunningBundle, review: unknown): Promise<string> {
  const answer = await fetch(`${address}/validate/fail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(review),
    signal: AbortSignal.timeout(30_000),
  });
  return await answer.text();
}

/** Calls URLs at the address that a check returned, and prints the answers. */
const program = `
import { HttpClient } from "../../lib/adapters/mod.ts";
const [address, ...urls] = process.argv.slice(2);
const http = new HttpClient({
  refuses: () => Promise.resolve({ address }),
  timeout: 1000,
  maxBytes: 1000,
});
const answers = [];
for (const url of urls) {
  const { body, message } = await http.call({ method: "POST", url, body: { a: 1 } });
  answers.push(message ?? body);
}
console.log(JSON.stringify(answers));
`;

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** The answer to each path, and the call's outcome. */
const served: readonly (readonly [path: string, answer: string, outcome: RegExp])[] = [
  ["/json", `${head}content-length: 1\r\n\r\n1`, /^1$/],
  ["/pieces", `${head}transfer-encoding: chunked\r\n\r\n1\r\n1\r\n1\r\n2\r\n0\r\n\r\n`, /^12$/],
  ["/redirect", "HTTP/1.1 307 Go\r\nlocation: /json\r\ncontent-length: 4\r\n\r\nmoved", /^1$/],
  ["/nothing", "HTTP/1.1 204 No Content\r\n\r\n", /is not JSON$/],
  ["/missing", "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", /HTTP 404 Not Found$/],
  ["/status", "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n", /status/],
  ["/upgrade", "HTTP/1.1 101 Switch\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", /ended without an answer/],
  ["/long", `${head}content-length: 2000\r\n\r\n${"1".repeat(2000)}`, /^response length must be less than/],
  ["/short", `${head}content-length: 5\r\n\r\n1`, /timed out$/],
  ["/cut", `${head}content-length: 5\r\n\r\n1`, /aborted|terminated/],
  ["/silent", "", /timed out$/],
  ["/nonsense", "nonsense\r\n\r\n", /Parse Error/],
];

Deno.test({
  name: "a bundle for node calls a service at the address that was checked, without a second look-up",
  ignore: !await answers("node", "--version"),
}, async () => {
  const server = rawServer(new Map(served.map(([path, answer]) => [path, answer])));
  try {
    const urls = served.map(([path]) => `http://rebound.invalid:${server.port}${path}`);
    const outcomes = await runOnNode(program, "127.0.0.1", ...urls) as readonly unknown[];
    for (const [index, [path, , outcome]] of served.entries()) {
      assert.match(String(outcomes[index]), outcome, path);
    }
    const [first] = server.requests;
    assert.match(
      first!,
      new RegExp(`^POST /json HTTP/1.1\r\n[^]*\r\nhost: rebound.invalid:${server.port}\r\n`),
    );
    assert.match(first!, /\r\ncontent-length: 7\r\n[^]*\r\n\{"a":1\}$/i);
  } finally {
    await server.close();
  }
});

/** A server on the loopback address that answers with texts as they are, and closes the connection for `/cut` only. */
function rawServer(answers: ReadonlyMap<string, string>) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: string[] = [], open: Deno.Conn[] = [];
  const serving = (async () => {
    for await (const connection of listener) {
      const buffer = new Uint8Array(4096);
      let text = "";
      while (!text.endsWith("}")) {
        const length = await connection.read(buffer);
        if (length === null) break;
        text += new TextDecoder().decode(buffer.subarray(0, length));
      }
      requests.push(text);
      const path = text.split(" ")[1]!;
      await connection.write(new TextEncoder().encode(answers.get(path)));
      if (path === "/cut") connection.close();
      else open.push(connection);
    }
  })();
  return {
    port: listener.addr.port,
    requests,
    async close() {
      listener.close();
      for (const connection of open) connection.close();
      await serving;
    },
  };
}
