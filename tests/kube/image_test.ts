import assert from "node:assert/strict";
import fc from "fast-check";
import { dig, Fault, isFault } from "../../lib/json/mod.ts";
import { compileImageExtractors, extractImages, parseImage } from "../../lib/kube/mod.ts";

const digest = `sha256:${"a1".repeat(32)}`;
const images: [
  text: string,
  registry: string,
  path: string,
  tag: string | undefined,
  digest: string | undefined,
][] = [
  ["nginx", "docker.io", "nginx", "latest", undefined],
  ["nginx:1.2", "docker.io", "nginx", "1.2", undefined],
  ["library/nginx", "docker.io", "library/nginx", "latest", undefined],
  ["ghcr.io/a/b/c:v1", "ghcr.io", "a/b/c", "v1", undefined],
  ["localhost/x", "localhost", "x", "latest", undefined],
  ["localhost", "docker.io", "localhost", "latest", undefined],
  ["localhost:5000/x:v1", "localhost:5000", "x", "v1", undefined],
  ["localhost:5000", "docker.io", "localhost", "5000", undefined],
  ["MyReg/x", "MyReg", "x", "latest", undefined],
  ["[::1]:5000/x", "[::1]:5000", "x", "latest", undefined],
  [`a/b@${digest}`, "docker.io", "a/b", undefined, digest],
  [`a/b:v1@${digest}`, "docker.io", "a/b", "v1", digest],
  ["a/foo__bar--baz_q.z", "docker.io", "a/foo__bar--baz_q.z", "latest", undefined],
];
for (const [text, registry, path, tag, imageDigest] of images) {
  Deno.test(`parseImage() reads ${text}`, () => {
    const image = parseImage(text);
    assert.ok(!isFault(image));
    assert.deepEqual([image.registry, image.path, image.tag, image.digest], [
      registry,
      path,
      tag,
      imageDigest,
    ]);
    assert.equal(image.name, path.split("/").at(-1));
    assert.equal(
      image.reference,
      imageDigest ? `${registry}/${path}@${imageDigest}` : `${registry}/${path}:${tag}`,
    );
    assert.equal(image.referenceWithTag, `${registry}/${path}:${tag ?? ""}`);
  });
}

const refused: [text: string, reason: string][] = [
  ["", "invalid reference format"],
  ["NGINX", "repository name must be lowercase"],
  ["a//b", "invalid reference format"],
  ["a/-b", "invalid reference format"],
  ["a__-b", "invalid reference format"],
  ["nginx:", "invalid reference format"],
  [`nginx:${"t".repeat(129)}`, "invalid reference format"],
  ["nginx@sha256:abc", "invalid reference format"],
  [`nginx@sha256:${"a".repeat(63)}`, "invalid checksum digest length"],
  [`nginx@sha256:${"A".repeat(64)}`, "invalid checksum digest format"],
  [`nginx@md5:${"a".repeat(32)}`, "unsupported digest algorithm"],
  [`nginx@MD5:${"a".repeat(32)}`, "invalid checksum digest format"],
  [`ghcr.io/${"a".repeat(256)}`, "repository name must not be more than 255 characters"],
  ["{{ image }}", "invalid reference format"],
];
for (const [text, reason] of refused) {
  Deno.test(`image ${JSON.stringify(text.slice(0, 30))} is refused: ${reason}`, () => {
    const fault = parseImage(text);
    assert.ok(isFault(fault));
    assert.match(
      fault.message,
      /^bad image: .*, defaultRegistry: docker.io, enableDefaultRegistryMutation: true: /,
    );
    assert.ok(fault.message.endsWith(`: ${reason}`), fault.message);
  });
}

Deno.test("an image without mutation of the registry has no default registry in its text", () => {
  const options = { defaultRegistry: "reg.example.com", enableDefaultRegistryMutation: false };
  assert.deepEqual(parseImage("a/nginx", options), {
    name: "nginx",
    path: "a/nginx",
    tag: "latest",
    reference: "a/nginx:latest",
    referenceWithTag: "a/nginx:latest",
  });
  const moved = parseImage("my_reg/nginx", options);
  assert.ok(!isFault(moved));
  assert.deepEqual([moved.registry, moved.path], ["my_reg", "nginx"]);
  const other = parseImage("nginx", { defaultRegistry: "reg.example.com" });
  assert.ok(!isFault(other) && other.registry === "reg.example.com");
});

Deno.test("a long hostile name is refused quickly", () => {
  for (const text of ["a".repeat(1e5) + "/-", "a-".repeat(1e5), "a.".repeat(1e5) + "/b", "_".repeat(1e5)]) {
    assert.ok(isFault(parseImage(text)));
  }
});

Deno.test("parseImage() never throws, for any text", () => {
  fc.assert(fc.property(fc.stringMatching(/^[A-Za-z0-9:/@._\-[\] ]{0,40}$/), (text) => {
    const image = parseImage(text);
    if (!isFault(image)) {
      assert.deepEqual(parseImage(image.reference!), { ...image, ...parseImage(image.reference!) });
    }
  }));
});

const container = (name: string, image: string) => ({ name, image });

Deno.test("extractImages() finds the containers of every built-in kind", () => {
  const spec = { containers: [container("a", "nginx")], initContainers: [container("i", "busybox:1")] };
  const kinds: [kind: string, resource: object, prefix: string][] = [
    ["Pod", { spec }, "/spec"],
    ["Deployment", { spec: { template: { spec } } }, "/spec/template/spec"],
    [
      "CronJob",
      { spec: { jobTemplate: { spec: { template: { spec } } } } },
      "/spec/jobTemplate/spec/template/spec",
    ],
  ];
  for (const [kind, resource, prefix] of kinds) {
    const images = extractImages({ kind, ...resource });
    assert.ok(!isFault(images));
    assert.deepEqual(Object.keys(images), ["initContainers", "containers"]);
    assert.equal(dig(images, "containers", "a", "jsonPointer"), `${prefix}/containers/0/image`);
    assert.equal(dig(images, "initContainers", "i", "tag"), "1");
  }
  assert.deepEqual(extractImages({ kind: "ConfigMap", spec }), {});
  assert.deepEqual(extractImages({ kind: "Pod" }), {});
});

Deno.test("extractImages() skips blank images and refuses invalid ones", () => {
  const pod = (containers: object[]) =>
    extractImages({ kind: "Pod", spec: { containers: containers as [] } });
  assert.deepEqual(pod([{ name: "a" }, { name: "b", image: " " }]), {});
  assert.deepEqual(pod([{ image: "nginx" }]), new Fault("invalid key"));
  const fault = pod([container("a", "nginx:")]);
  assert.ok(
    isFault(fault) && fault.message.startsWith("invalid image 'nginx:' (bad image: docker.io/nginx:,"),
  );
  assert.deepEqual(extractImages({ kind: "Pod", spec: { containers: "x" } }), new Fault("invalid type"));
  assert.deepEqual(extractImages({ kind: "Pod", spec: [] }), new Fault("invalid image config"));
});

Deno.test("custom extractors replace the built-in ones of their kind", () => {
  const extractors = compileImageExtractors({
    Task: [
      { path: "/spec/steps/*/image", name: "steps", key: "id" },
      { path: "/spec/*/ref", transform: (value) => value.replace("oci://", "") },
    ],
    Empty: [],
  });
  const task = { kind: "Task", spec: { steps: [{ id: "one", image: "a:1" }], main: { ref: "oci://b:2" } } };
  const broken = extractImages(task, { extractors });
  assert.deepEqual(broken, new Fault("invalid image config"));
  const images = extractImages({ kind: "Task", spec: { main: { ref: "oci://b:2" } } }, { extractors });
  assert.ok(!isFault(images));
  assert.deepEqual(Object.keys(images), ["custom"]);
  assert.equal(dig(images, "custom", "/spec/main/ref", "name"), "b");
  assert.deepEqual(
    extractImages({ kind: "Empty" }, { extractors }),
    new Fault("no extractors found for Empty"),
  );
});
