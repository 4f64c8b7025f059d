import { asString, dig, Fault } from "../../json/mod.ts";
import type { Cluster, Signer } from "../../ports.ts";
import { base64Bytes } from "./pem.ts";

/**
 * Replaces a key in a Secret (`k8s://NAMESPACE/NAME`) by its text, so that a cached verdict counts for this text alone.
 * Other signers stay. A fault when there is no such Secret, or no cluster to read it from.
 */
export async function withSecretKey(by: Signer, cluster: Cluster | undefined): Promise<Signer | Fault> {
  const name = by.kind === "key" ? by.key.trim() : "";
  if (by.kind !== "key" || !name.startsWith("k8s://")) return by;
  const [namespace = "", secret = "", ...more] = name.slice("k8s://".length).split("/");
  const problem = (why: string) => new Fault(`failed to load public key from ${name}: ${why}`);
  if (namespace === "" || secret === "" || more.length > 0) {
    return problem("kubernetes specification should be in the format k8s://<namespace>/<secret>");
  }
  if (cluster === undefined) return problem("there is no cluster to read secrets from");
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(secret)}`;
  const answer = await cluster.call({ method: "GET", path });
  if (!answer.ok) return problem(`checking if secret exists: ${answer.message}`);
  const bytes = base64Bytes(asString(dig(answer.body, "data", "cosign.pub")) ?? "");
  return bytes === undefined || bytes.length === 0
    ? problem("the secret has no field cosign.pub")
    : { ...by, key: new TextDecoder().decode(bytes) };
}
