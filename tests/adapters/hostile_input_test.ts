/** No text from outside makes an adapter throw or build something else than was meant. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { EmbeddedCluster, systemObjects } from "../../lib/embedded/mod.ts";
import { kubeconfigEndpoint } from "../../lib/adapters/mod.ts";
import { parseApiPath, segmentsOf } from "../../lib/kube/api_path.ts";
import { mergePatched } from "../../lib/embedded/merge.ts";
import { identifierOf, parseReference } from "../../lib/registries/registry/reference.ts";
import { readChallenge, tokenAddress } from "../../lib/registries/registry/token.ts";
import { equal, isFault, isObject, type Json } from "../../lib/json/mod.ts";
import type { ApiCall } from "../../lib/ports.ts";
import { countingEntropy, fixedClock } from "./fakes.ts";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
const word = fc.constantFrom(
  "api",
  "apis",
  "v1",
  "apps",
  "namespaces",
  "default",
  "pods",
  "configmaps",
  "..",
  "",
  "%2e",
);
const anyPath = fc.oneof(
  fc.string(),
  fc.array(fc.oneof(word, fc.string()), { maxLength: 8 }).map((all) => `/${all.join("/")}`),
);
const method = fc.constantFrom<ApiCall["method"]>("GET", "POST", "PUT", "PATCH", "DELETE");
const contentType = fc.constantFrom(
  "application/json",
  "application/merge-patch+json",
  "application/apply-patch+yaml",
);

Deno.test("an accepted path never leaves its root, also inside a URL", () => {
  fc.assert(fc.property(anyPath, (path) => {
    const segments = segmentsOf(path);
    if (segments === undefined) return;
    const url = new URL(`https://server.example/prefix${path}`);
    assert.ok(url.pathname.startsWith("/prefix/"));
    assert.equal(url.host, "server.example");
    assert.equal(url.pathname.replace(/\/$/, "").split("/").length, segments.length + 2);
    parseApiPath(path);
  }));
});

Deno.test("the embedded cluster answers every call with a value or a reason", async () => {
  const cluster = new EmbeddedCluster({
    objects: systemObjects(),
    clock: fixedClock(),
    entropy: countingEntropy(),
  });
  const body = fc.oneof(
    json,
    fc.record({
      metadata: fc.record({ name: fc.oneof(fc.string(), fc.constant("a")) }),
      data: json,
      kind: fc.constant("ConfigMap"),
    }),
    fc.record({ spec: json }),
  ) as fc.Arbitrary<Json>;
  const path = fc.oneof(
    anyPath,
    fc.constantFrom(
      "/api/v1/namespaces/default/configmaps",
      "/api/v1/namespaces/default/configmaps/a?fieldManager=m",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    ),
    fc.string().map((text) => `/api/v1/namespaces?labelSelector=${encodeURIComponent(text)}`),
    fc.string().map((text) => `/api/v1/pods?fieldSelector=${encodeURIComponent(text)}&continue=${text}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.record({ method, path, body, contentType }), async (call) => {
      const answer = await cluster.call(call);
      if (!answer.ok) {
        assert.ok(answer.message.length > 0 && answer.status !== undefined && answer.status >= 400);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("the embedded cluster accepts objects of any content", async () => {
  const object = fc.record({
    apiVersion: fc.constantFrom("v1", "apps/v1", "x.io/v1", ""),
    kind: fc.string(),
    metadata: json,
  });
  await fc.assert(fc.asyncProperty(fc.array(fc.oneof(object, json)), async (objects) => {
    const cluster = new EmbeddedCluster({
      objects: objects as Json[],
      clock: fixedClock(),
      entropy: countingEntropy(),
    });
    assert.ok((await cluster.call({ method: "GET", path: "/apis" })).ok);
  }));
});

Deno.test("applying a merge patch twice equals applying it once, and an empty one changes nothing", () => {
  fc.assert(fc.property(json, json, (target, patch) => {
    const once = mergePatched(target, patch);
    assert.ok(equal(mergePatched(once, patch), once));
    if (isObject(target)) assert.ok(equal(mergePatched(target, {}), target));
  }));
});

Deno.test("a parsed image reference has parts that are safe in a URL", () => {
  const part = fc.constantFrom(
    "a",
    "nginx",
    "ghcr.io",
    ":",
    "/",
    "@",
    "..",
    "v1",
    "localhost:5000",
    `sha256:${"a".repeat(64)}`,
  );
  const text = fc.oneof(fc.string(), fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")));
  fc.assert(fc.property(text, (reference) => {
    const parsed = parseReference(reference);
    if (isFault(parsed)) return;
    const url = new URL(
      `https://${parsed.registry}/v2/${parsed.repository}/manifests/${identifierOf(parsed)}`,
    );
    assert.ok(url.pathname.startsWith(`/v2/${parsed.repository}/manifests/`));
  }));
});

Deno.test("reading a challenge never throws, and a token address stays within its realm", () => {
  const header = fc.oneof(
    fc.string(),
    fc.string().map((text) => `Bearer realm="https://auth.example/t",service="${text}"`),
  );
  fc.assert(fc.property(header, (text) => {
    const challenge = readChallenge(text);
    if (challenge?.scheme !== "bearer") return;
    assert.equal(new URL(tokenAddress(challenge, "a/b")).origin, new URL(challenge.realm).origin);
  }));
});

Deno.test("reading a kubeconfig never throws", async () => {
  await fc.assert(fc.asyncProperty(json, async (config) => {
    await kubeconfigEndpoint({
      text: JSON.stringify(config),
      folder: "",
      readText: () => Promise.reject(new Error("no")),
    });
  }));
});
