/**
 * The floor of the background scan: a client that only posts reports, as many at a time as Postern does.
 *
 *     deno run … tests/bench/report_floor.ts KUBECONFIG FILE TOGETHER
 *
 * The file has one report a line. It prints the seconds that the posts took.
 */
import { kubeconfigEndpoint } from "../../lib/adapters/mod.ts";
import { dig, isFault, type JsonObject } from "../../lib/json/mod.ts";
import { metadataOnly } from "../../lib/kube/mod.ts";
import { linesOf } from "./lines.ts";

const [kubeconfig = "", file = "", together = "8"] = Deno.args;
const endpoint = await kubeconfigEndpoint({
  text: await Deno.readTextFile(kubeconfig),
  folder: "/",
  readText: Deno.readTextFile,
});
if (isFault(endpoint)) throw new Error(endpoint.message);
const { server, ca = "", clientCertificate: cert = "", clientKey: key = "" } = endpoint;
const client = Deno.createHttpClient({ caCerts: [ca], cert, key, http2: false });
const headers = { "content-type": "application/json", accept: metadataOnly };

const lines = linesOf((await Deno.open(file)).readable);
const started = performance.now();
await Promise.all(Array.from({ length: Number(together) }, async () => {
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const report: JsonObject = JSON.parse(next.value);
    const namespace = String(dig(report, "metadata", "namespace"));
    const response = await fetch(
      `${server}/apis/${report["apiVersion"]}/namespaces/${namespace}/policyreports`,
      { method: "POST", body: next.value, headers, client },
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`a report was not stored: ${response.status} ${text}`);
  }
}));
// deno-lint-ignore no-console -- the output of the program
console.log((performance.now() - started) / 1000);
