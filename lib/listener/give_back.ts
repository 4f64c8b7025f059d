/** `giveBack` frees only buffers of at least this many bytes. */
const largeBytes = 16 * 1024;

/**
 * Frees a buffer that nobody reads any more. The garbage collector frees memory outside its heap late, so without this
 * a series of large bodies holds hundreds of megabytes.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < largeBytes || byteLength < buffer.byteLength / 2) return;
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

/** Frees the whole buffer below some bytes, of which nobody reads any. */
export function giveBackAll({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= largeBytes) buffer.transfer(0);
}
