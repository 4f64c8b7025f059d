import {
  asList,
  asString,
  dig,
  Fault,
  goTypeOf,
  isFault,
  isObject,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import type { Statement } from "../../ports.ts";
import type { SignatureContent } from "./cosign_signature.ts";
import { base64Bytes } from "./pem.ts";
import { parsePayload, readPayload } from "./payload.ts";
import type { Hash, PublicKey } from "./public_key.ts";
import { SignedMessage } from "./signed_message.ts";

/** A signed envelope (DSSE 1.0) around an in-toto statement. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  /** Base64. */
  readonly signatures: readonly string[];
}

const inTotoType = "application/vnd.in-toto+json";
/** The most signatures to try. An attestation usually has one. */
const maxSignatures = 10;

/** Reads an envelope. */
export function readEnvelope(bytes: Uint8Array): Envelope | Fault {
  const value = readPayload(new TextDecoder().decode(bytes), "the attestation");
  if (isFault(value)) return value;
  const payload = base64Bytes(textField(value, "payload"));
  if (!isObject(value) || payload === undefined) return new Fault("the attestation is no envelope");
  return {
    payloadType: asString(value["payloadType"]) ?? "",
    payload,
    signatures: asList(value["signatures"]).slice(0, maxSignatures).map((each) => textField(each, "sig")),
  };
}

/** The bytes that the signers of an envelope sign (DSSE 1.0, pre-authentication encoding). */
function signedBytes({ payloadType, payload }: Envelope): Uint8Array {
  const type = new TextEncoder().encode(payloadType);
  const head = new TextEncoder().encode(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `);
  const bytes = new Uint8Array(head.length + payload.length);
  bytes.set(head);
  bytes.set(payload, head.length);
  return bytes;
}

/**
 * An attestation whose statement must name an image's digest. It reads the envelope when a check first needs it: many
 * attestations may wait for their checks.
 */
export class AttestationContent implements SignatureContent {
  readonly #bytes: Uint8Array;
  readonly #digest: string;
  #envelope: Envelope | Fault | undefined;
  #message: SignedMessage | undefined;

  constructor(envelope: Uint8Array, digest: string) {
    this.#bytes = envelope;
    this.#digest = digest;
  }

  get message(): SignedMessage {
    return this.#message ??= new SignedMessage(
      isFault(this.#read) ? new Uint8Array() : signedBytes(this.#read),
    );
  }

  async refusesSignature(key: PublicKey, hash: Hash): Promise<string | undefined> {
    const envelope = this.#read;
    if (isFault(envelope)) return envelope.message;
    if (envelope.payloadType !== inTotoType) {
      return `invalid payloadType ${envelope.payloadType} on envelope. Expected ${inTotoType}`;
    }
    if (envelope.signatures.length === 0) return "no signature found";
    for (const text of envelope.signatures) {
      const signature = base64Bytes(text);
      if (signature === undefined) continue;
      if (await this.message.refuses(key, signature, hash) === undefined) return undefined;
    }
    return "accepted signatures do not match threshold, Found: 0, Expected 1";
  }

  refusesClaim(): string | undefined {
    const envelope = this.#read;
    if (isFault(envelope)) return envelope.message;
    const statement = readStatement(envelope.payload);
    return isFault(statement) ? statement.message : refusesSubject(statement, this.#digest);
  }

  /** The statement as policies see it. */
  statement(): Statement | Fault {
    const envelope = this.#read;
    if (isFault(envelope)) return envelope;
    const statement = readStatement(envelope.payload);
    return isFault(statement) ? statement : statementOf(statement);
  }

  get #read(): Envelope | Fault {
    return this.#envelope ??= readEnvelope(this.#bytes);
  }
}

/** The in-toto statement in an envelope. */
export function readStatement(payload: Uint8Array): JsonObject | Fault {
  const statement = readPayload(new TextDecoder().decode(payload), "the attestation");
  if (isFault(statement)) return statement;
  return isObject(statement) ? statement : new Fault("the attestation holds no JSON object");
}

/** Why no subject of a statement is the image; `undefined` when one is. */
export function refusesSubject(statement: JsonObject, digest: string): string | undefined {
  const hex = digest.slice("sha256:".length);
  const isAbout = asList(statement["subject"]).some((each) => dig(each, "digest", "sha256") === hex);
  return isAbout ? undefined : "no matching subject digest found";
}

const customType = "https://cosign.sigstore.dev/attestation/v1";

/**
 * A statement as policies see it. Kyverno parity: Cosign's own type holds its predicate as text in `Data`; predicates
 * must be objects. Pinned by "attestations: a predicate that is no object".
 */
export function statementOf(statement: JsonObject): Statement | Fault {
  const type = asString(statement["predicateType"]) ?? "";
  const given = statement["predicate"] ?? null;
  if (!isObject(given)) return new Fault(`could not parse predicate with type ${goTypeOf(given)}`);
  const text = type === customType ? asString(given["Data"]) : undefined;
  const inside = text === undefined ? undefined : parsePayload(text);
  return { type, predicate: inside ?? given, statement };
}
