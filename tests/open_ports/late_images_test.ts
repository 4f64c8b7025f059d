/** Image ports that are opened late: when, how often, and what a policy gets when they cannot be opened. */
import assert from "node:assert/strict";
import { LateImages } from "../../lib/open_ports/late_images.ts";
import { Fault } from "../../lib/json/mod.ts";
import type { Registry, Signatures } from "../../lib/ports.ts";
import { queryFor } from "../bench/signed_images.ts";

const query = queryFor("r.io/app:v1", { attestors: [{ entries: [{ keys: { publicKeys: "k8s://a/b" } }] }] });
const { by, log } = query;
const text = { message: new Uint8Array(), signature: "", certificate: "", bundle: "", by, log };

interface Ports {
  readonly registry: Registry;
  readonly signatures: Signatures;
}

/** Every call of the ports. */
const calls: Readonly<
  Record<string, (ports: Ports) => Promise<object>>
> = {
  "an image's record": ({ registry }) => registry.image("r.io/app:v1"),
  "a signature": ({ signatures }) => signatures.verify(query),
  "a signed text": ({ signatures }) => signatures.verifyText(text),
  "a digest": ({ signatures }) => signatures.digest("r.io/app:v1", {}),
  "an artifact": ({ signatures }) =>
    signatures.referrer({ image: "r.io/app:v1", artifactType: "sbom", credentials: {} }),
};

const ok = { ok: true } as never;

/** Ports that say yes to everything, and count what they are opened for. */
function opening(open: () => Promise<void> = () => Promise.resolve()): {
  readonly images: LateImages;
  readonly counts: { opened: number; closed: number };
} {
  const counts = { opened: 0, closed: 0 };
  const yes: Registry & Signatures = {
    image: async () => ok,
    verify: async () => ok,
    verifyText: async () => ok,
    digest: async () => ok,
    referrer: async () => ok,
  };
  const images = new LateImages(async () => {
    counts.opened++;
    await open();
    return {
      registry: yes,
      signatures: { ...yes, close: async () => void counts.closed++ },
      diagnostics: [],
    };
  });
  return { images, counts };
}

for (const [what, call] of Object.entries(calls)) {
  Deno.test(`when the code for images cannot be loaded, ${what} is refused with the reason, and tried again later`, async () => {
    let isBroken = true;
    const { images } = opening(async () => {
      if (isBroken) throw new TypeError("Module not found");
    });
    const { ok, message } = await call(images) as { ok: boolean; message: string };
    assert.equal(ok, false);
    assert.equal(message, "cannot load the code that reads image registries: TypeError: Module not found");
    isBroken = false;
    assert.deepEqual(await call(images), { ok: true });
  });
}

Deno.test("a registry that cannot be read for want of code makes a rule an error, as one without an answer", async () => {
  const images = new LateImages(() => Promise.resolve(new Fault("no root")));
  const verified = await images.signatures.verify(query);
  assert.deepEqual(verified, {
    ok: false,
    why: "no connection",
    message: "no root",
    digest: undefined,
    tried: [],
    cached: false,
  });
  assert.deepEqual(await images.prepare(), new Fault("no root"));
});

Deno.test("image ports open once, at the first call, and close when they are open", async () => {
  const { images, counts } = opening();
  await images.close();
  assert.deepEqual(counts, { opened: 0, closed: 0 });
  await Promise.all([images.prepare(), ...Object.values(calls).map((call) => call(images))]);
  await images.close();
  assert.deepEqual(counts, { opened: 1, closed: 1 });
});
