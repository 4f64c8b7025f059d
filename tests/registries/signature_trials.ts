/** A registry of the test with a signed image, and the verification of its signatures. */
import { ImageSignatures, type ImageSignaturesOptions } from "../../lib/registries/mod.ts";
import type { SignatureAnswer, SignatureQuery } from "../../lib/ports.ts";
import { countingEntropy, fixedClock, type TestClock } from "../adapters/fakes.ts";
import { type Keys, newKeys } from "./signing/certificates.ts";
import { queryByKey } from "./signing/query.ts";
import { TestRegistry } from "./signing/registry.ts";

interface Trial {
  readonly registry: TestRegistry;
  readonly signatures: ImageSignatures;
  readonly clock: TestClock;
  readonly keys: Keys;
  verify(name: string, more?: Partial<SignatureQuery>, signal?: AbortSignal): Promise<SignatureAnswer>;
}

export function signaturesTest(
  title: string,
  run: (trial: Trial) => Promise<void>,
  options: Partial<ImageSignaturesOptions> = {},
): void {
  Deno.test(`signatures: ${title}`, async () => {
    const registry = new TestRegistry();
    const clock = fixedClock();
    const signatures = new ImageSignatures({ clock, entropy: countingEntropy(), firstDelay: 1, ...options });
    const keys = newKeys();
    try {
      await run({
        registry,
        signatures,
        clock,
        keys,
        verify: (name, more = {}, signal) =>
          signatures.verify(queryByKey(`${registry.host}/${name}`, keys.pem, more), signal),
      });
    } finally {
      await signatures.close();
      await registry.close();
    }
  });
}
