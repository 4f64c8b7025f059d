import { createHash } from "node:crypto";

/** A digest as OCI writes it: `sha256:` and 64 hexadecimal digits. */
export function digestOf(content: Uint8Array | string): string {
  return `sha256:${sha256(content)}`;
}

/** SHA-256 in hexadecimal digits. */
export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}
