/** `linkedLibraries` reads the libraries of a program from its headers. */
import assert from "node:assert/strict";
import { linkedLibraries } from "../../release/elf.ts";

/** A file with a loader and names of libraries: three program headers, texts, the dynamic section. */
function elf(
  { loader, needed }: { readonly loader: string; readonly needed: readonly string[] },
): Uint8Array {
  const bytes = new Uint8Array(2_048), view = new DataView(bytes.buffer);
  const texts = [loader, ...needed].map((text) => new TextEncoder().encode(`${text}\0`));
  const textsAt = 512, dynamicAt = 1_024, base = 0x40_0000;
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  view.setBigUint64(0x20, 64n, true);
  view.setUint16(0x36, 56, true);
  view.setUint16(0x38, 3, true);
  const header = (index: number, [type, offset, length]: readonly [number, number, number]): void => {
    const at = 64 + index * 56;
    view.setUint32(at, type, true);
    view.setBigUint64(at + 8, BigInt(offset), true);
    view.setBigUint64(at + 16, BigInt(base + offset), true);
    view.setBigUint64(at + 32, BigInt(length), true);
  };
  header(0, [1, 0, 2_048]);
  header(1, [3, textsAt, texts[0]!.length]);
  header(2, [2, dynamicAt, 16 * (needed.length + 2)]);
  let at = textsAt, entry = dynamicAt;
  const entryOf = (tag: number, value: number): void => {
    view.setBigUint64(entry, BigInt(tag), true);
    view.setBigUint64(entry + 8, BigInt(value), true);
    entry += 16;
  };
  entryOf(5, base + textsAt);
  for (const [index, text] of texts.entries()) {
    bytes.set(text, at);
    if (index > 0) entryOf(1, at - textsAt);
    at += text.length;
  }
  return bytes;
}

Deno.test("a program's loader and libraries are found", () => {
  const linked = { loader: "/lib64/ld-linux-x86-64.so.2", needed: ["libc.so.6", "libm.so.6"] };
  assert.deepEqual(linkedLibraries(elf(linked)), linked);
});

Deno.test("this Deno is linked with a C library", { ignore: Deno.build.os !== "linux" }, async () => {
  const { loader, needed } = linkedLibraries(await Deno.readFile(await Deno.realPath(Deno.execPath())));
  assert.match(loader ?? "", /^\/lib.*\/ld-/);
  assert(needed.some((name) => name.startsWith("libc.")), needed.join(" "));
});

Deno.test("a file that is no program has no libraries", () => {
  for (
    const bytes of [new Uint8Array(), new Uint8Array(100), new TextEncoder().encode("#!/bin/sh\n".repeat(20))]
  ) {
    assert.deepEqual(linkedLibraries(bytes), { loader: undefined, needed: [] });
  }
});
