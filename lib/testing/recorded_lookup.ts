import { join } from "node:path";
import { bundledTrustedRoot, ImageRegistry, ImageSignatures, RecordedImages } from "../registries/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { isFault } from "../json/mod.ts";
import type { TestLookup } from "./test_ports.ts";

/** The recording of registry answers beside a test, which `test --record-images` writes. */
export const recordedImagesFile = "recorded-images.json";

/** The answers of the recording in a test's folder; `undefined` where there is none. */
export async function recordedLookup(
  folder: string,
): Promise<{ readonly lookup?: TestLookup; readonly diagnostics: readonly Diagnostic[] }> {
  const file = join(folder, recordedImagesFile);
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (cause) {
    return { diagnostics: cause instanceof Deno.errors.NotFound ? [] : [unusable(`${file}: ${cause}`)] };
  }
  const recorded = RecordedImages.read(text, file);
  if (isFault(recorded)) return { diagnostics: [unusable(recorded.message)] };
  return { lookup: lookupIn(recorded), diagnostics: [] };
}

function lookupIn(recorded: RecordedImages): TestLookup {
  return ({ entropy, cluster }) => {
    const registries = { clock: recorded.clock(), entropy, source: recorded };
    const bundled = async (mirror: string) => mirror === "" ? await bundledTrustedRoot() : undefined;
    return {
      registry: new ImageRegistry(registries),
      signatures: new ImageSignatures({
        ...registries,
        cluster,
        trustedRoot: (mirror) => recorded.trustedRoot(mirror, () => bundled(mirror)),
      }),
    };
  };
}

function unusable(message: string): Diagnostic {
  return {
    severity: "error",
    code: "recorded-images",
    message,
    hint: "write it again with test --record-images",
  };
}
