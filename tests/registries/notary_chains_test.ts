/** Which certificates may sign for the Notary Project: its specification is stricter than X.509. */
import assert from "node:assert/strict";
import { ImageSignatures } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { type CertificateFields, issue, type Issued, newKeys, usage } from "./signing/certificates.ts";
import { signNotary } from "./signing/cosign.ts";
import { queryByKey } from "./signing/query.ts";
import { TestRegistry } from "./signing/registry.ts";

const keys = newKeys("rsa"), rootKeys = newKeys();
const root = issue({ name: "root", keys: rootKeys, authority: true });

function leafOf(fields: Partial<CertificateFields>, issuer = root): Issued {
  return issue({ name: "leaf", keys, issuer, ...fields });
}

function authorityOf(fields: Partial<CertificateFields>): Issued {
  return issue({ name: "between", keys: rootKeys, issuer: root, authority: true, ...fields });
}

interface Chain {
  readonly title: string;
  /** The signer first. */
  readonly chain: readonly [Issued, ...Issued[]];
  /** Why notation refuses it; absent where it accepts it. */
  readonly refused?: string;
}

const others = {
  ServerAuth: "1.3.6.1.5.5.7.3.1",
  ClientAuth: "1.3.6.1.5.5.7.3.2",
  EmailProtection: "1.3.6.1.5.5.7.3.4",
  Timestamping: "1.3.6.1.5.5.7.3.8",
  OCSPSigning: "1.3.6.1.5.5.7.3.9",
};
const subject = 'certificate with subject "CN=leaf": ';

const chains: readonly Chain[] = [
  { title: "without extended usages", chain: [leafOf({}), root] },
  { title: "for any usage", chain: [leafOf({ usages: ["2.5.29.37.0"] }), root] },
  { title: "for a usage of somebody's own", chain: [leafOf({ usages: ["1.2.3.4"] }), root] },
  ...Object.entries(others).map(([name, id]): Chain => ({
    title: `for signing code and ${name}`,
    chain: [leafOf({ usages: [usage.codeSigning, id] }), root],
    refused: `${subject}extended key usage must not contain ${name} eku`,
  })),
  {
    title: "without a key usage",
    chain: [leafOf({ keyUsage: "none" }), root],
    refused: `${subject}key usage extension must be present`,
  },
  {
    title: "with a key usage that is not critical",
    chain: [leafOf({ keyUsage: "not critical" }), root],
    refused: `${subject}key usage extension must be marked critical`,
  },
  {
    title: "that signs no data",
    chain: [leafOf({ keyUsage: [6, 0x40] }), root],
    refused:
      'the certificate with subject "CN=leaf" is invalid. The key usage must have the bit positions for "Digital Signature" set',
  },
  {
    title: "that encrypts keys, too",
    chain: [leafOf({ keyUsage: [5, 0xa0] }), root],
    refused:
      'the certificate with subject "CN=leaf" is invalid. The key usage must be "Digital Signature" only, but found "KeyEncipherment"',
  },
  { title: "whose signatures cannot be denied", chain: [leafOf({ keyUsage: [6, 0xc0] }), root] },
  {
    title: "that is an authority",
    chain: [leafOf({ authority: true, keyUsage: [2, 0x84] }), root],
    refused: `${subject}if the basic constraints extension is present, the ca field must be set to false`,
  },
  {
    title: "that is an authority but may sign data alone",
    chain: [leafOf({ authority: true, keyUsage: [7, 0x80] }), root],
    refused: `${subject}if the basic constraints extension is present, the ca field must be set to false`,
  },
  {
    title: "of an authority without a key usage",
    chain: [leafOf({}, authorityOf({ keyUsage: "none" })), authorityOf({ keyUsage: "none" }), root],
    refused: 'certificate with subject "CN=between": key usage extension must be present',
  },
  { title: "of an authority below the root", chain: [leafOf({}, authorityOf({})), authorityOf({}), root] },
  {
    title: "under an authority that signed itself",
    chain: [leafOf({}), root, root],
    refused: 'intermediate certificate with subject "CN=root" is self-signed',
  },
  { title: "that signed itself", chain: [issue({ name: "leaf", keys })] },
];

for (const { title, chain, refused } of chains) {
  Deno.test(`a Notary signature by a certificate ${title} ${refused === undefined ? "counts" : "does not count"}`, async () => {
    const registry = new TestRegistry();
    const signatures = new ImageSignatures({ clock: systemClock(), entropy: countingEntropy() });
    const digest = registry.image("app:v1");
    const [signer, ...issuers] = chain;
    signNotary(registry, digest, { signer, issuers });
    const by = { kind: "certificates" as const, certificate: chain.at(-1)!.pem, chain: "" };
    const answer = await signatures.verify(
      queryByKey(`${registry.host}/app:v1`, "", { layout: "notary", by }),
    );
    await signatures.close();
    await registry.close();
    const [tried] = answer.tried;
    if (refused === undefined) assert.deepEqual([answer.ok, tried?.why], [true, ""]);
    else {
      assert.equal(answer.ok, false);
      assert.ok(tried?.why.startsWith(`certificate-chain is invalid, ${refused}`), tried?.why);
    }
  });
}
