import { asList, dig, Fault, field, textField } from "../json/mod.ts";
import type { Cluster } from "../ports.ts";

const kinds = ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"];

/**
 * Makes the webhooks of a configuration trust an authority (`caBundle`, in base64). It patches only differences, and
 * only while the webhooks are those that were read. A fault names a write that failed.
 */
export async function registerAuthority(
  cluster: Cluster,
  name: string,
  caBundle: string,
): Promise<Fault | undefined> {
  const problems: string[] = [];
  for (const kind of kinds) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind}/${encodeURIComponent(name)}`;
    const read = await cluster.call({ method: "GET", path });
    if (!read.ok) {
      problems.push(`${kind} ${name}: ${read.message}`);
      continue;
    }
    const patch = asList(field(read.body, "webhooks")).flatMap((webhook, index) =>
      dig(webhook, "clientConfig", "caBundle") === caBundle ? [] : [
        { op: "test", path: `/webhooks/${index}/name`, value: textField(webhook, "name") },
        { op: "add", path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle },
      ]
    );
    if (patch.length === 0) continue;
    const contentType = "application/json-patch+json";
    const written = await cluster.call({ method: "PATCH", path, contentType, body: patch });
    if (!written.ok) problems.push(`${kind} ${name}: ${written.message}`);
  }
  return problems.length === 0
    ? undefined
    : new Fault(`the authority was not written into the webhooks: ${problems.join("; ")}`);
}
