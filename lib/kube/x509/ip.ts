/** An IP address of 4 or 16 bytes as Go prints it, with `::` for the longest run of zero groups. */
export function ipText(bytes: Uint8Array): string {
  const mapped = bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 255 &&
    bytes[11] === 255;
  if (bytes.length === 4 || mapped) return [...bytes.subarray(-4)].join(".");
  const groups: number[] = [];
  for (let index = 0; index < bytes.length; index += 2) groups.push(bytes[index]! << 8 | bytes[index + 1]!);
  const { start, length } = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(":");
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: -1, length: 0 }, start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}
