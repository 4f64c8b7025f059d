/** Errors of the file system are said in words. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileProblem } from "../../lib/diagnostics/mod.ts";

/** The error that Deno throws for `/dev/full`, which it opens only with all permissions. */
const fullDisk = Object.assign(new Error("No space left on device (os error 28): writefile '/dev/full'"), {
  code: "ENOSPC",
});

const rows: readonly (readonly [
  what: string,
  work: (folder: string) => Promise<unknown>,
  access: "read" | "write",
  said: string,
])[] = [
  [
    "a missing file",
    (folder) => Deno.readTextFile(join(folder, "none")),
    "read",
    "There is no such file or folder",
  ],
  [
    "a missing folder",
    (folder) => Deno.writeTextFile(join(folder, "none/x"), ""),
    "write",
    "There is no such folder",
  ],
  ["a folder for a file", (folder) => Deno.writeTextFile(folder, ""), "write", "It is a folder"],
  [
    "a file for a folder",
    (folder) => Deno.readTextFile(join(folder, "file/x")),
    "read",
    "A part of its path is no folder",
  ],
  ["a full disk", () => Promise.reject(fullDisk), "write", "No space left on device"],
  [
    "a forbidden read",
    () => Promise.reject(new Deno.errors.PermissionDenied()),
    "read",
    "Reading it is not permitted",
  ],
  [
    "a forbidden write",
    () => Promise.reject(new Deno.errors.NotCapable()),
    "write",
    "Writing it is not permitted",
  ],
  ["a value that is no error", () => Promise.reject("so"), "read", "so"],
];
for (const [what, work, access, said] of rows) {
  Deno.test(`fileProblem() of ${what}: ${said}`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(join(folder, "file"), "");
      await assert.rejects(work(folder), (cause) => {
        assert.equal(fileProblem(cause, access), said);
        return true;
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
