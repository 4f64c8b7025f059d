/** Notary Project signatures with timestamps, and what becomes of them where a policy names the authority's root. */
import {
  issue,
  type Issued,
  newKeys,
  signingTime,
  type TimestampOptions,
  timestampToken,
  usage,
} from "./certificates.ts";
import type { NotaryFields } from "./cosign.ts";
import { bytesOf } from "./der.ts";

const usagesOid = "2.5.29.37";

/** The certificates of signers and of an authority. */
export class TimestampSigners {
  readonly root = issue({ name: "notary root", keys: newKeys(), authority: true });
  readonly authorityRoot = issue({ name: "tsa root", keys: newKeys(), authority: true });
  readonly authorityIntermediate = issue({
    name: "tsa intermediate",
    keys: newKeys(),
    issuer: this.authorityRoot,
    authority: true,
  });
  readonly authority = this.stamping({});
  readonly leaf = this.#signer("leaf", new Date("2056-01-01T00:00:00Z"));
  readonly ended = this.#signer("ended leaf", new Date("2026-03-01T12:10:00Z"));

  /** An authority's certificate. */
  stamping(fields: Partial<Parameters<typeof issue>[0]>): Issued {
    const usages = [usage.timeStamping];
    const keys = newKeys();
    return issue({ name: "tsa", keys, issuer: this.authorityRoot, usages, critical: [usagesOid], ...fields });
  }

  /** A function that stamps signatures. */
  stamp(
    authority = this.authority,
    options: TimestampOptions & { readonly issuer?: Issued } = {},
  ): (signature: Uint8Array) => Uint8Array {
    return (signature) =>
      timestampToken(signature, authority, {
        issuer: this.authorityRoot,
        certificate: authority,
        ...options,
      });
  }

  #signer(name: string, until: Date): Issued {
    return issue({
      name,
      keys: newKeys("rsa"),
      issuer: this.root,
      usages: [usage.codeSigning],
      until,
    });
  }
}

export type Stamped = Pick<NotaryFields, "signer" | "timestamp" | "envelope" | "expiry">;

/** A signature, and why it does not count; absent when it does. */
export interface StampedImage {
  readonly title: string;
  readonly image: Stamped;
  readonly refused?: RegExp;
}

const late = new Date("2026-03-01T12:10:01Z"), end = new Date("2026-03-01T12:10:00Z");

export function stampedImages(signers: TimestampSigners): readonly StampedImage[] {
  const { ended, leaf, root } = signers;
  const rsa = signers.stamping({ keys: newKeys("rsa") });
  const below = signers.stamping({ issuer: signers.authorityIntermediate });
  const cose = issue({
    name: "cose",
    keys: newKeys(),
    issuer: root,
    usages: [usage.codeSigning],
    until: end,
  });
  const foreign = new TimestampSigners();
  const stamped = (timestamp: Stamped["timestamp"], signer = ended): Stamped => ({
    signer,
    ...(timestamp !== undefined && { timestamp }),
  });
  return [
    { title: "an ended certificate, stamped while it was valid", image: stamped(signers.stamp()) },
    {
      title: "an ended certificate in COSE, stamped while it was valid",
      image: { ...stamped(signers.stamp(), cose), envelope: "cose" },
    },
    { title: "an authority with an RSA key", image: stamped(signers.stamp(rsa)) },
    {
      title: "an authority below an intermediate that the timestamp carries",
      image: stamped(
        signers.stamp(below, {
          issuer: signers.authorityIntermediate,
          carries: [signers.authorityIntermediate],
        }),
      ),
    },
    { title: "a valid certificate with a timestamp", image: stamped(signers.stamp(), leaf) },
    {
      title: "a valid certificate without timestamp",
      image: stamped(undefined, leaf),
      refused: /no timestamp countersignature was found in the signature envelope$/,
    },
    {
      title: "an ended certificate without timestamp",
      image: stamped(undefined),
      refused: /no timestamp countersignature was found in the signature envelope$/,
    },
    {
      title: "stamped after the certificate's end",
      image: stamped(signers.stamp(undefined, { at: late })),
      refused:
        /timestamp can be after certificate "CN=ended leaf" validity period, it was expired at "Sun, 01 Mar 2026 12:10:00 \+0000"$/,
    },
    {
      title: "stamped before the certificate's start",
      image: stamped(signers.stamp(undefined, { at: new Date("2026-01-01T00:00:00Z"), accuracy: 1 })),
      refused:
        /timestamp can be before certificate "CN=ended leaf" validity period, it will be valid from "Thu, 01 Jan 2026 00:00:00 \+0000"$/,
    },
    {
      title: "stamped at the certificate's very end",
      image: stamped(signers.stamp(undefined, { at: end })),
    },
    {
      title: "a clock that may have been wrong by more than was left",
      image: stamped(signers.stamp(undefined, { at: end, accuracy: 1 })),
      refused: /timestamp can be after certificate/,
    },
    {
      title: "a baseline policy that leaves its accuracy of a second out",
      image: stamped(signers.stamp(undefined, { at: end, policy: "0.4.0.2023.1.1" })),
      refused: /timestamp can be after certificate/,
    },
    {
      title: "a timestamp over another signature",
      image: stamped(() => signers.stamp()(bytesOf("another signature"))),
      refused: /message imprint does not match artifact$/,
    },
    {
      title: "an authority that the policy does not trust",
      image: stamped(foreign.stamp(undefined, { carries: [foreign.authorityRoot] })),
      refused: /signed by unknown authority$/,
    },
    {
      title: "no timestamp but other bytes",
      image: stamped(() => bytesOf("nonsense")),
      refused: /failed to parse timestamp countersignature with error: /,
    },
    {
      title: "a timestamp that names no certificate",
      image: stamped((signature) =>
        timestampToken(signature, signers.authority, { issuer: signers.authorityRoot })
      ),
      refused: /it names no signing certificate$/,
    },
    {
      title: "a timestamp that names another certificate of its key",
      image: stamped(signers.stamp(undefined, { certificate: signers.stamping({}) })),
      refused: /signing certificate hash does not match CertHash in signed attribute$/,
    },
    {
      title: "a signature whose own end has passed",
      image: { ...stamped(signers.stamp()), expiry: new Date("2026-04-01T00:00:00Z") },
      refused: /digital signature has expired on "Wed, 01 Apr 2026 00:00:00 \+0000"$/,
    },
    ...authorities(signers, stamped),
  ];
}

/** Certificates that are below the trusted root, and are no authority's. */
function authorities(
  signers: TimestampSigners,
  stamped: (timestamp: Stamped["timestamp"]) => Stamped,
): readonly StampedImage[] {
  const by = (authority: Issued) => stamped(signers.stamp(authority));
  return [
    {
      title: "an authority whose usage is not critical",
      image: by(signers.stamping({ critical: [] })),
      refused: /timestamping as its only extended key usage, and as a critical one$/,
    },
    {
      title: "an authority that may sign code, too",
      image: by(signers.stamping({ usages: [usage.timeStamping, usage.codeSigning] })),
      refused: /timestamping as its only extended key usage, and as a critical one$/,
    },
    {
      title: "a certificate for code alone",
      image: by(signers.stamping({ usages: [usage.codeSigning] })),
      refused: /certificate must set EKU to TimeStamping$/,
    },
    {
      title: "an authority of certificates",
      image: by(signers.stamping({ authority: true })),
      refused: /not for digital signatures alone$/,
    },
    {
      title: "an authority whose certificate had ended",
      image: by(signers.stamping({ until: new Date(signingTime.getTime() - 1_000) })),
      refused: /certificate has expired or is not yet valid$/,
    },
  ];
}
