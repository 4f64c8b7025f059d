/** Reads the part of a program that Linux's loader reads: the libraries with which it is linked. */

/** The libraries that a 64-bit little-endian ELF file names, and its loader; both empty for other files. */
export interface LinkedLibraries {
  /** The path of the loader: `/lib64/ld-linux-x86-64.so.2`. A library has none. */
  readonly loader: string | undefined;
  /** Names without folders: `libc.so.6`. */
  readonly needed: readonly string[];
}

const segment = { load: 1, dynamic: 2, interpreter: 3 };
const tag = { end: 0, needed: 1, names: 5 };

/** Reads the program headers and the dynamic section of a file (System V ABI, chapter 5). */
export function linkedLibraries(bytes: Uint8Array): LinkedLibraries {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isElf = bytes.length > 64 && view.getUint32(0) === 0x7f454c46 && bytes[4] === 2 && bytes[5] === 1;
  if (!isElf) return { loader: undefined, needed: [] };
  const number = (at: number): number => Number(view.getBigUint64(at, true));
  const first = number(0x20), size = view.getUint16(0x36, true), count = view.getUint16(0x38, true);
  const headers = Array.from({ length: count }, (_, index) => {
    const at = first + index * size;
    return {
      type: view.getUint32(at, true),
      offset: number(at + 8),
      address: number(at + 16),
      length: number(at + 32),
    };
  });
  const textAt = (at: number): string => new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  const interpreter = headers.find(({ type }) => type === segment.interpreter);
  const dynamic = headers.find(({ type }) => type === segment.dynamic);
  const entries: [tag: number, value: number][] = [];
  for (
    let at = dynamic?.offset ?? 0;
    dynamic !== undefined && at < dynamic.offset + dynamic.length;
    at += 16
  ) {
    if (number(at) === tag.end) break;
    entries.push([number(at), number(at + 8)]);
  }
  const names = entries.find(([name]) => name === tag.names)?.[1] ?? 0;
  const holder = headers.find(({ type, address, length }) =>
    type === segment.load && address <= names && names < address + length
  );
  const namesAt = names - (holder?.address ?? 0) + (holder?.offset ?? 0);
  return {
    loader: interpreter && textAt(interpreter.offset),
    needed: entries.filter(([name]) => name === tag.needed).map(([, value]) => textAt(namesAt + value)),
  };
}
