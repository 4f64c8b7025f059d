/** `serve --record`: recorded reviews are decided again, explained, and made into a test. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { admissionReview, pod } from "../server/review.ts";
import { served } from "./served.ts";

const requireTeam = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: require-team }
spec:
  background: false
  rules:
    - name: team
      match: { any: [{ resources: { kinds: [Pod, Secret] } }] }
      validate:
        failureAction: Enforce
        message: The label team is required.
        pattern: { metadata: { labels: { team: "?*" } } }
    - name: stage
      match: { any: [{ resources: { kinds: [Pod] } }] }
      mutate: { patchStrategicMerge: { metadata: { labels: { stage: test } } } }
`;

async function postern(...args: string[]): Promise<{ code: number; out: string }> {
  const lines: string[] = [];
  const line = (text: string): void => void lines.push(text);
  return { code: await run(args, { out: line, err: line }), out: lines.join("\n") };
}

Deno.test("serve --record keeps reviews: replay, explain and create test run them again", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  const records = join(folder, "records"), policy = join(folder, "policy.yaml");
  try {
    await Deno.writeTextFile(policy, requireTeam);
    const main = new URL("../../main.ts", import.meta.url).pathname;
    const options = [
      "--policies",
      policy,
      "--no-tls",
      "--port",
      "0",
      "--metrics-port",
      "0",
      "--record",
      records,
    ];
    {
      await using server = await served(["run", "-A", "--no-check", main, "serve", ...options]);
      const post = async (path: string, body: unknown): Promise<void> => {
        const response = await fetch(`${server.address}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        assert.equal(response.status, 200);
        await response.body?.cancel();
      };
      await post("/mutate/fail", admissionReview({ uid: "one" }));
      await post("/validate/fail", admissionReview({ uid: "two" }));
      await post("/validate/fail", admissionReview({ uid: "three", object: pod({ labels: { team: "a" } }) }));
      const secret = { kind: "Secret", metadata: { name: "s" }, data: { password: btoa("hunter2") } };
      await post("/validate/fail", admissionReview({ kind: "Secret", resource: "secrets", object: secret }));
    }
    // The server writes waiting records before it ends.
    const names = [...Deno.readDirSync(records)].map(({ name }) => name).sort();
    assert.equal(names.length, 4);
    const texts = names.map((name) => Deno.readTextFileSync(join(records, name)));
    assert.ok(texts.every((text) => !text.includes(btoa("hunter2"))));

    const same = await postern("replay", records, "--policies", policy);
    // The mutating webhook allowed what the validating webhook denied: each is compared with itself.
    assert.match(same.out, /\n4 as recorded, 0 differing$/);
    assert.equal(same.code, 0);
    await Deno.writeTextFile(policy, requireTeam.replace('team: "?*"', 'team: "b*"'));
    const changed = await postern("replay", records, "--policies", policy);
    assert.match(
      changed.out,
      /000002\.json:1: Pod default\/web \(CREATE by alice\): denied, recorded as allowed/,
    );
    assert.match(changed.out, /\n3 as recorded, 1 differing$/);
    assert.equal(changed.code, 1);

    const explained = await postern("explain", policy, "--review", join(records, names[1]!));
    assert.match(explained.out, /Pod default\/web \(CREATE by alice\)[\s\S]*The label team is required/);

    const made = await postern(
      "create",
      "test",
      "-p",
      policy,
      "--review",
      records,
      "-o",
      join(folder, "tests"),
    );
    assert.equal(made.code, 0, made.out);
    const tested = await postern("test", join(folder, "tests"));
    assert.match(tested.out, /Test Summary: \d+ tests passed and 0 tests failed/);
    assert.doesNotMatch(tested.out, /warning/);
    assert.equal(tested.code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("serve --record ends with code 2 where it cannot write", async () => {
  const file = await Deno.makeTempFile();
  const { code, out } = await postern(
    "serve",
    "--no-tls",
    "--port",
    "0",
    "--metrics-port",
    "0",
    "--record",
    `${file}/x`,
  );
  await Deno.remove(file);
  assert.match(out, /error: --record .*\/x: /);
  assert.equal(code, 2);
});
