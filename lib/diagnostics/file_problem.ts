import type { Diagnostic } from "./diagnostic.ts";

const reasons: ReadonlyMap<string, Readonly<Record<"read" | "write", string>>> = new Map([
  ["NotFound", { read: "There is no such file or folder", write: "There is no such folder" }],
  ["PermissionDenied", { read: "Reading it is not permitted", write: "Writing it is not permitted" }],
  ["NotCapable", { read: "Reading it is not permitted", write: "Writing it is not permitted" }],
  ["IsADirectory", { read: "It is a folder", write: "It is a folder" }],
  ["FilesystemLoop", { read: "A symbolic link leads to itself", write: "A symbolic link leads to itself" }],
  // Deno makes a folder only where none exists; if it fails because the path exists, the path is a file.
  ["AlreadyExists", { read: "It exists", write: "A part of its path is no folder" }],
  ["NotADirectory", { read: "A part of its path is no folder", write: "A part of its path is no folder" }],
]);

/**
 * Why a file or folder cannot be read or written, from the error of Deno's API: in words, without the numbers and calls
 * of the operating system.
 */
export function fileProblem(cause: unknown, access: "read" | "write" = "read"): string {
  if (!(cause instanceof Error)) return String(cause);
  return reasons.get(cause.name)?.[access] ?? cause.message.replace(/ \(os error \d+\)[^]*$/, "");
}

/** The diagnostic of a path on the command line that cannot be read. */
export function unreadablePath(path: string, cause: unknown): Diagnostic {
  const isMissing = cause instanceof Error && cause.name === "NotFound";
  return {
    severity: "error",
    code: isMissing ? "missing-file" : "unreadable-file",
    message: fileProblem(cause),
    ...(isMissing && { hint: missingHint(path) }),
    position: { file: path, line: 1, column: 1 },
  };
}

/** The hint for a path that names nothing. Paths with wildcards or commas get another one. */
function missingHint(path: string): string {
  if (/[*?[]/.test(path)) {
    return "wildcards are not expanded here: name the folder, or write them without quotes, for the shell";
  }
  if (/\.ya?ml,/.test(path)) return "paths are separated by spaces here, not by commas";
  return "check the path; relative ones start at the working directory";
}
