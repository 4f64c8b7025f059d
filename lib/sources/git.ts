import { join } from "node:path";
import { Fault } from "../json/mod.ts";

/** The branch and the credentials of a repository. */
export interface GitOptions {
  /** A branch or tag; the default branch when absent. */
  readonly branch?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** A folder or file of a repository, from an address. */
export interface GitLocation {
  readonly repository: string;
  readonly branch: string | undefined;
  /** The folder or file within the repository; empty for all of it. */
  readonly path: string;
}

/** Files of a repository in a temporary folder, until it is disposed of. */
export interface Checkout extends AsyncDisposable {
  /** The folder with the files. */
  readonly folder: string;
  /** The address of the folder, for messages. */
  readonly address: string;
}

/** Milliseconds that a clone may take. */
const cloneTimeoutMs = 120_000;

/** Whether a path is an address. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z+]*:\/\//.test(path);
}

/**
 * The repository, branch and folder in an address. Kyverno parity: `https://host/owner/repository/branch`, and with a
 * branch that is given apart, `https://host/owner/repository/folder`. Pinned by "commands read policies and tests from
 * a git repository, by branch and folder". A part that ends with `.git` ends the repository's address too.
 *
 * ```ts
 * import { gitLocation } from "./git.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(gitLocation("https://example.com/team/policies/main", undefined), {
 *   repository: "https://example.com/team/policies",
 *   branch: "main",
 *   path: "",
 * });
 * assert.equal(gitLocation("file:///srv/policies.git/pods", "main").path, "pods");
 * ```
 */
export function gitLocation(address: string, branch: string | undefined): GitLocation {
  const [, origin, rest] = /^([a-z][a-z+]*:\/\/[^/]*\/?)([^]*)$/.exec(address)!;
  const parts = rest!.split("/").filter((part) => part !== "");
  const named = parts.findIndex((part) => part.endsWith(".git"));
  const length = named >= 0 ? named + 1 : origin!.startsWith("file:") ? parts.length : 2;
  const repository = `${origin}${parts.slice(0, length).join("/")}`;
  const after = parts.slice(length).join("/");
  if (branch !== undefined) return { repository, branch, path: after };
  return { repository, branch: after === "" ? undefined : after, path: "" };
}

/** Clones the latest commit of a repository with `git`; a fault says why that failed. */
export async function checkout(address: string, options: GitOptions): Promise<Checkout | Fault> {
  const { repository, branch, path } = gitLocation(address, options.branch);
  let root: string;
  try {
    root = await Deno.makeTempDir({ prefix: "postern-git-" });
  } catch (cause) {
    return new Fault(`${address}: no folder for it can be made: ${causeOf(cause)}`);
  }
  const dispose = async (): Promise<void> => await Deno.remove(root, { recursive: true });
  const problem = await clone(repository, { root, branch, options });
  const folder = join(root, path);
  const isOutside = path.split("/").includes("..");
  if (problem !== undefined || isOutside || !await exists(folder)) {
    await dispose();
    return new Fault(`${address}: ${problem ?? `the repository holds no ${path}`}`);
  }
  return { folder, address: [repository, path].filter(Boolean).join("/"), [Symbol.asyncDispose]: dispose };
}

async function clone(
  repository: string,
  { root, branch, options }: { root: string; branch: string | undefined; options: GitOptions },
): Promise<string | undefined> {
  const args = ["clone", "--quiet", "--depth=1", ...(branch === undefined ? [] : [`--branch=${branch}`])];
  try {
    const { success, stderr } = await new Deno.Command("git", {
      args: [...args, "--", repository, root],
      env: { GIT_TERMINAL_PROMPT: "0", ...credentials(options) },
      stdin: "null",
      signal: AbortSignal.timeout(cloneTimeoutMs),
    }).output();
    return success ? undefined : `git clone failed: ${new TextDecoder().decode(stderr).trim()}`;
  } catch (cause) {
    const hint = cause instanceof Deno.errors.NotCapable
      ? "; allow it with --allow-run=git, or clone it yourself"
      : "";
    return `git cannot be run: ${causeOf(cause)}${hint}`;
  }
}

/** The password goes into the environment, because other users of the machine can see arguments. */
function credentials({ username, password }: GitOptions): Record<string, string> {
  if (username === undefined && password === undefined) return {};
  const basic = btoa(`${username ?? ""}:${password ?? ""}`);
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.extraHeader",
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

function causeOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
