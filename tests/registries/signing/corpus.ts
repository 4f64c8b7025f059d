/** The corpus' registry with signed images, read in place. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ImageSignatures } from "../../../lib/registries/mod.ts";
import { systemClock } from "../../../lib/adapters/mod.ts";
import type { ImageName, SignatureFixtures } from "../../contract/signatures.ts";
import { countingEntropy } from "../../adapters/fakes.ts";

const folder = pathToFileURL(
  resolve(Deno.env.get("CONFORMANCE_CORPUS") ?? "../shared/corpus", "verify-images") + "/",
);

/** Whether the corpus is there. */
export function hasCorpus(): boolean {
  try {
    return Deno.statSync(new URL("registry.json", folder)).isFile;
  } catch {
    return false;
  }
}

const images: Readonly<Record<ImageName, string>> = {
  "signed": "app/signed:v1",
  "signed by another key": "app/signed:v2",
  "unsigned": "app/unsigned:v1",
  "missing": "app/signed:missing",
  "payload of another digest": "app/broken:replayed",
  "payload changed": "app/broken:tampered",
  "signature is no base64": "app/broken:badbase64",
  "annotated": "app/annotated:v1",
  "logged": "app/tlog:v1",
  "in another log": "app/tlog:otherlog",
  "log entry forged": "app/tlog:forged",
  "log entry of another key": "app/tlog:otherkey",
  "keyless": "app/keyless:v1",
  "keyless without certificate timestamp": "app/keyless:nosct",
  "keyless from another certificate log": "app/keyless:otherct",
  "keyless, logged too late": "app/keyless:late",
  "keyless, timestamp alone": "app/keyless:tsa",
  "keyless, timestamp too late": "app/keyless:latetsa",
  "certificate of a stranger": "app/cert:stranger",
  "attested": "app/attested:v1",
  "attested about another image": "app/attested:othersubject",
  "attested with a list as predicate": "app/attested:listpredicate",
  "attested with another payload type": "app/attested:payloadtype",
  "attested with a bad signature": "app/attested:badsignature",
  "bundle": "app/bundle:v1",
  "bundle of another key": "app/bundle:key2",
  "bundle about another image": "app/bundle:othersubject",
  "notary jws": "notary/app:v1",
  "notary cose": "notary/app:cose",
  "notary of another authority": "notary/app:otherca",
  "notary expired": "notary/app:expired",
  "notary about another image": "notary/app:replayed",
  "notary unsigned": "notary/app:unsigned",
  "signed with p384": "app/algo:p384",
  "signed with rsa": "app/algo:rsa",
  "signed with ed25519": "app/algo:ed25519",
  "signed with sha512": "app/algo:sha512",
};

/** Serves the corpus' registry, and makes an adapter for it. */
export async function corpusFixtures(): Promise<SignatureFixtures> {
  const { serve } = await import(new URL("serve.ts", folder).href);
  const server: Deno.HttpServer<Deno.NetAddr> = serve(JSON.parse(text("registry.json")), 0);
  const host = `127.0.0.1:${server.addr.port}`;
  const signatures = new ImageSignatures({ clock: systemClock(), entropy: countingEntropy() });
  const key = (name: string): string => text(`keys/${name}.pem`);
  return {
    signatures,
    images: Object.fromEntries(
      Object.entries(images).map(([name, path]) => [name, `${host}/${path}`]),
    ) as Record<ImageName, string>,
    keys: {
      one: key("key1.pub"),
      two: key("key2.pub"),
      p384: key("p384.pub"),
      rsa: key("rsa.pub"),
      ed25519: key("ed25519.pub"),
    },
    keylessRoot: key("keyless-root"),
    ctlogKey: key("ctlog.pub"),
    rekorKey: key("rekor.pub"),
    tsaChain: key("tsa-chain"),
    codeRoot: key("code-root"),
    notaryRoot: key("notary-root"),
    async close() {
      await signatures.close();
      await server.shutdown();
    },
  };
}

function text(path: string): string {
  return Deno.readTextFileSync(new URL(path, folder));
}
