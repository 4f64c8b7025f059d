/** The command apply with rules about images. */
import assert from "node:assert/strict";
import { inFolder } from "./apply_files.ts";

const aboutImages = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: images }
spec:
  rules:
    - name: no-root
      match: { any: [{ resources: { kinds: [Pod] } }] }
      context:
        - name: image
          imageRegistry: { reference: "{{ request.object.spec.containers[0].image }}" }
      validate:
        failureAction: Enforce
        message: images must have a user
        deny: { conditions: { any: [{ key: "{{ image.configData.config.User || '' }}", operator: Equals, value: "" }] } }
`;

Deno.test("apply reads image registries only with --registry", async () => {
  let requests = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    requests++;
    return new Response("none", { status: 404 });
  });
  const pod =
    `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: web, image: "127.0.0.1:${server.addr.port}/web:1" }] }\n`;
  try {
    await inFolder(async (apply) => {
      const without = await apply("@images.yaml", "-r", "@web.yaml", "--dialect", "current");
      // Kyverno parity: what is not loaded counts as not there.
      assert.match(without.out, /failed:\n1 - no-root images must have a user\n/);
      assert.equal(requests, 0);
      const withRegistry = await apply("@images.yaml", "-r", "@web.yaml", "--registry");
      assert.match(withRegistry.out, /error:\n1 - no-root /);
      assert.notEqual(requests, 0);
    }, { "images.yaml": aboutImages, "web.yaml": pod });
  } finally {
    await server.shutdown();
  }
});

Deno.test("apply names the images that failed, and counts an image rule once", () => {
  const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: signed
  annotations: { pod-policies.kyverno.io/autogen-controllers: none }
spec:
  rules:
    - name: digest
      match: { any: [{ resources: { kinds: [Pod] } }] }
      verifyImages:
        - imageReferences: ["*"]
          failureAction: Enforce
          mutateDigest: false
          verifyDigest: true
          required: false
          attestors: [{ entries: [{ keys: { publicKeys: "-----BEGIN PUBLIC KEY-----\\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8nXRh950IZbRj8Ra/N9sbqOPZrfM\\n5/KAQN0/KjHcorm/J5yctVd7iEcnessRQjU917hmKO6JWVGHpDguIyakZA==\\n-----END PUBLIC KEY-----" } }] }]
`;
  const pod =
    'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: web, image: "127.0.0.1:1/web:1" }] }\n';
  return inFolder(async (apply) => {
    const { out, err } = await apply("@signed.yaml", "-r", "@web.yaml");
    assert.match(out, /Applying 1 policy rule\(s\)/, err);
    assert.match(
      out,
      /policy signed -> resource default\/Pod\/web failed:\n1 - digest missing digest for 127\.0\.0\.1:1\/web:1\n/,
    );
  }, { "signed.yaml": policy, "web.yaml": pod });
});
