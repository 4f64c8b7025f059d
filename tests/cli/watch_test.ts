/** `test --watch` as a process, and what counts as a change. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FileChanges } from "../../lib/cli/file_changes.ts";
import { bad, good, policy } from "./team_policies.ts";

const main = join(import.meta.dirname!, "..", "..", "main.ts");

const test = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: team }
policies: [../policies/policy.yaml]
resources: [pod.yaml]
results: [{ policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }]
`;

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The output of a process, waited for part by part. */
class Output {
  text = "";
  readonly #reader: ReadableStreamDefaultReader<string>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Reads until a text was written so often, or to the end. */
  async until(text: string, times: number): Promise<void> {
    while (this.text.split(text).length <= times) {
      const { value, done } = await this.#reader.read();
      if (done) return;
      this.text += value;
    }
  }
}

Deno.test("test --watch runs again when a file of a test changes, and ends on Ctrl-C with 130", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "policies"));
    await Deno.mkdir(join(folder, "tests"));
    await Deno.writeTextFile(join(folder, "policies", "policy.yaml"), policy);
    await Deno.writeTextFile(join(folder, "tests", "pod.yaml"), good);
    await Deno.writeTextFile(join(folder, "tests", "kyverno-test.yaml"), test);
    const process = new Deno.Command("deno", {
      args: ["run", "-A", main, "test", "tests", "--watch", "--output", "junit=tests/report.xml"],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const out = new Output(process.stdout), err = new Output(process.stderr);
    await err.until("watching for changes; Ctrl-C ends", 1);
    // The policy is in no folder that the command names: only the test does.
    await Deno.writeTextFile(
      join(folder, "policies", "policy.yaml"),
      policy.replace('team: "?*"', "team: none"),
    );
    await err.until("watching for changes; Ctrl-C ends", 2);
    await Deno.writeTextFile(join(folder, "policies", "policy.yaml"), "kind: [");
    await err.until("watching for changes; Ctrl-C ends", 3);
    process.kill("SIGINT");
    const { code } = await process.status;
    await Promise.all([out.until("no such text", 1), err.until("no such text", 1)]);
    const summaries = [...out.text.matchAll(/\d+ tests passed and \d+ tests failed/g)].map(([text]) => text);
    assert.deepEqual(summaries, [
      "1 tests passed and 0 tests failed",
      "0 tests passed and 1 tests failed",
      "0 tests passed and 1 tests failed",
    ], err.text);
    assert.match(err.text, /policies\/policy\.yaml changed\n/);
    assert.match(err.text, /policy\.yaml:1:8: error invalid-yaml/);
    assert.doesNotMatch(err.text, /report\.xml changed|\n {4}at /);
    assert.equal(code, 130);
  }));

Deno.test("only files that were read count as changed", () =>
  withFolder(async (folder) => {
    const path = (name: string): string => join(folder, name);
    await Deno.mkdir(path("tests/inner/.git"), { recursive: true });
    for (const name of ["policy.yaml", "other.yaml", "tests/pod.yaml"]) {
      await Deno.writeTextFile(path(name), good);
    }
    using changes = new FileChanges();
    changes.watch([path("tests"), path("policy.yaml"), path("gone/gone.yaml")], [path("tests/report.xml")]);
    for (const name of ["other.yaml", "tests/report.xml", "tests/inner/.git/index", "policy.yaml"]) {
      await Deno.writeTextFile(path(name), bad);
    }
    assert.deepEqual(await changes.next(), [path("policy.yaml")]);
    await Deno.writeTextFile(path("tests/inner/new.yaml"), bad);
    await Deno.rename(path("policy.yaml"), path("tests/moved.yaml"));
    assert.deepEqual(
      await changes.next(),
      ["policy.yaml", "tests/inner/new.yaml", "tests/moved.yaml"].map(path),
    );
  }));
