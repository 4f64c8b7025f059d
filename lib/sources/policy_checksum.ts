import type { FileText } from "../adapters/mod.ts";

/**
 * The checksum of policy files: 16 digits of a SHA-256 of their texts, whatever their names and order. The manifests
 * contain it, and replicas report it for the policies that they loaded.
 */
export async function policyChecksum(files: readonly FileText[]): Promise<string> {
  const each = await Promise.all(files.map(({ text }) => digest(text)));
  return (await digest(each.sort().join("\n"))).slice(0, 16);
}

async function digest(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}
