import { formatIpAddress, unmapped } from "../ip_address.ts";

/** An IP address of 4 or 16 bytes as Go's `net.IP` prints it: one that maps IPv4 into IPv6 prints as IPv4. */
export function ipText(bytes: Uint8Array): string {
  const value = BigInt(`0x${bytes.toHex()}`);
  return formatIpAddress(unmapped({ bits: bytes.length === 4 ? 32 : 128, value, zone: "" }));
}

/** Whether a network mask is valid: no bit is set after the first one that is not. */
export function isNetworkMask(mask: Uint8Array): boolean {
  return /^1*0*$/.test(Array.from(mask, (byte) => byte.toString(2).padStart(8, "0")).join(""));
}
