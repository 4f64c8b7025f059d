/** Recorded reviews: nothing of a Secret, no more than what is allowed, and no answer waits for a disk. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ReviewFiles, type ReviewFilesOptions } from "../../lib/host/mod.ts";
import { isFault, type JsonObject } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import type { AnsweredReview } from "../../lib/server/mod.ts";
import { admissionReview, type ReviewParts } from "../server/review.ts";

function answered(parts: ReviewParts = {}, bytes = 1_000): AnsweredReview {
  const parsed = parseReview(admissionReview(parts));
  assert.ok(parsed.ok);
  const { request } = parsed.review;
  const status = { status: "Failure", message: "the password is hunter2", code: 400 } as const;
  return {
    path: "/validate/fail",
    route: { phase: "validate", failurePolicy: "Fail" },
    request,
    response: { uid: request.uid, allowed: false, status },
    bytes,
  };
}

interface Recording {
  readonly files: ReviewFiles;
  readonly folder: string;
  readonly outcomes: string[];
  readonly log: string[];
  /** Names of the files that are there, hidden ones too. */
  readonly names: () => string[];
}

async function recording(
  use: (recording: Recording) => Promise<void>,
  limits: Partial<ReviewFilesOptions> = {},
): Promise<void> {
  const parent = await Deno.makeTempDir({ prefix: "postern-test-" });
  const folder = join(parent, "records"), outcomes: string[] = [], log: string[] = [];
  let now = Date.UTC(2026, 0, 1);
  try {
    const files = await ReviewFiles.open({
      folder,
      maxReviews: 100,
      maxBytes: 1_000_000,
      clock: { now: () => now++ },
      log: {
        write: (level, message, fields) => void log.push(`${level} ${message} ${JSON.stringify(fields)}`),
      },
      metrics: { recorded: (outcome) => void outcomes.push(outcome) },
      ...limits,
    });
    assert.ok(!isFault(files));
    await use({
      files,
      folder,
      outcomes,
      log,
      names: () => [...Deno.readDirSync(folder)].map(({ name }) => name),
    });
    await files.close();
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

Deno.test("a record has the review and its answer, and only the owner may read it", () =>
  recording(async ({ files, folder, names, outcomes }) => {
    files.add(answered());
    await files.close();
    const [name = ""] = names();
    assert.match(name, /^20260101T000000000Z-000000\.json$/);
    const record = JSON.parse(await Deno.readTextFile(join(folder, name)));
    assert.deepEqual(record.recorded, {
      at: "2026-01-01T00:00:00.000Z",
      path: "/validate/fail",
      phase: "validate",
      failurePolicy: "Fail",
    });
    assert.deepEqual(record.request, admissionReview()["request"]);
    assert.equal(record.response.status.message, "the password is hunter2");
    assert.equal((await Deno.stat(join(folder, name))).mode! & 0o777, 0o600);
    assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
    assert.deepEqual(outcomes, ["written"]);
  }));

const secret: JsonObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "web",
    labels: { team: "shop" },
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": '{"stringData":{"password":"hunter2"}}',
      owner: "ann",
    },
  },
  data: { password: btoa("hunter2") },
  stringData: { password: "hunter2" },
};
const secrets: [what: string, parts: ReviewParts][] = [
  ["that is created", { object: secret }],
  ["that is changed", { operation: "UPDATE", object: secret, oldObject: secret }],
  ["that is deleted", { operation: "DELETE", object: secret }],
  ["whose data is no map", { object: { ...secret, data: btoa("hunter2"), stringData: ["hunter2"] } }],
];
for (const [what, parts] of secrets) {
  Deno.test(`the record of a Secret ${what} has keys and no values`, () =>
    recording(async ({ files, folder, names }) => {
      files.add(answered({ kind: "Secret", resource: "secrets", ...parts }));
      await files.close();
      const text = await Deno.readTextFile(join(folder, names()[0]!));
      assert.ok(!text.includes("hunter2") && !text.includes(btoa("hunter2")), text);
      const { recorded, request, response } = JSON.parse(text);
      assert.equal(recorded.redacted, true);
      const kept = request.object ?? request.oldObject;
      assert.deepEqual(kept.metadata.labels, { team: "shop" });
      assert.equal(kept.metadata.annotations.owner, "ann");
      if (!what.includes("no map")) assert.deepEqual(kept.data, { password: btoa("redacted") });
      assert.deepEqual(response, { uid: "review-1", allowed: false });
    }));
}

Deno.test("the recorder deletes the oldest records, also of an earlier process, and no other files", () =>
  recording(async ({ files, folder, names }) => {
    await Deno.writeTextFile(join(folder, "notes.json"), "{}");
    for (let index = 0; index < 5; index++) files.add(answered({ uid: `first-${index}` }));
    await files.close();
    const outcomes: string[] = [];
    const next = await ReviewFiles.open({
      folder,
      maxReviews: 3,
      maxBytes: 1_000_000,
      clock: { now: () => Date.UTC(2026, 0, 2) },
      log: { write: () => {} },
      metrics: { recorded: (outcome) => void outcomes.push(outcome) },
    });
    assert.ok(!isFault(next));
    next.add(answered({ uid: "second-0" }));
    next.add(answered({ uid: "second-1" }));
    await next.close();
    assert.deepEqual(names().sort(), [
      "20260101T000000004Z-000004.json",
      "20260102T000000000Z-000000.json",
      "20260102T000000000Z-000001.json",
      "notes.json",
    ]);
  }));

Deno.test("records stay within their limit of bytes", () =>
  recording(async ({ files, folder, names }) => {
    for (let index = 0; index < 20; index++) files.add(answered());
    await files.close();
    const bytes = names().reduce((sum, name) => sum + Deno.statSync(join(folder, name)).size, 0);
    assert.ok(bytes > 0 && bytes <= 5_000, `${bytes} bytes`);
  }, { maxBytes: 5_000 }));

Deno.test("the recorder drops and counts reviews that are too long or too many, and no answer waits", () =>
  recording(async ({ files, outcomes, names }) => {
    files.add(answered({}, 5_000_000));
    assert.deepEqual(outcomes, ["dropped"]);
    for (let index = 0; index < 300; index++) files.add(answered());
    assert.equal(outcomes.filter((outcome) => outcome === "dropped").length, 1 + 300 - 256);
    await files.close();
    assert.equal(names().length, 256);
    files.add(answered());
    assert.equal(outcomes.at(-1), "dropped");
  }, { maxReviews: 1_000 }));

Deno.test("the recorder reports a missing folder once, and continues when it exists again", () =>
  recording(async ({ files, folder, outcomes, log, names }) => {
    await Deno.remove(folder, { recursive: true });
    files.add(answered());
    files.add(answered());
    while (outcomes.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(outcomes, ["dropped", "dropped"]);
    assert.equal(log.length, 1);
    assert.match(log[0]!, /^error reviews are not recorded .*No such file/);
    await Deno.mkdir(folder);
    files.add(answered());
    await files.close();
    assert.equal(names().length, 1);
  }));

Deno.test("a folder that cannot be written is a fault", async () => {
  const file = await Deno.makeTempFile();
  try {
    const opened = await ReviewFiles.open({
      folder: join(file, "records"),
      maxReviews: 1,
      maxBytes: 1,
      clock: { now: () => 0 },
      log: { write: () => {} },
      metrics: { recorded: () => {} },
    });
    assert.ok(isFault(opened));
    assert.match(opened.message, /^--record .*records: /);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("the record of a deeply nested review is not larger than the review", () =>
  recording(async ({ files, folder, names }) => {
    const spec = JSON.parse(`${"[".repeat(450)}${"1,".repeat(100_000)}1${"]".repeat(450)}`);
    const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec };
    files.add(answered({ object }, 201_000));
    await files.close();
    const [name] = names();
    // With indentation it has 90 MB.
    assert.ok(Deno.statSync(join(folder, name!)).size < 300_000);
  }));
