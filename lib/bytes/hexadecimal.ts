/** Bytes in lower-case hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
  // Node 24 and browsers from before 2025 do not have this method.
  const { toHex } = bytes as { toHex?: () => string };
  if (toHex !== undefined) return bytes.toHex();
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
