import { hexOf } from "../../bytes/mod.ts";
import { asString, Fault, field, isFault, isObject, withoutEnding } from "../../json/mod.ts";
import { encodeBase64Text } from "../../kube/mod.ts";
import { PinnedClients, type RenewedClient, send } from "../../adapters/mod.ts";
import type { AddressRule } from "../registry/addresses.ts";
import { sha256 } from "../registry/sha256.ts";
import type { EntrySearch } from "./cosign_signature.ts";
import { type LogEntry, readLogBundle } from "./log_entry.ts";
import { parsePayload } from "./payload.ts";

const searchPath = "/api/v1/log/entries/retrieve";
const mostBytes = 1_000_000;

/** How a log is called. */
export interface LogCall {
  /** Milliseconds. */
  readonly timeout: number;
  readonly client: RenewedClient;
  /** Whether an address may be called: a policy names it. */
  readonly allows: AddressRule;
}

/**
 * Reads the entry of a signature from a transparency log (Rekor's API, version 1); a text says in Kyverno's words why
 * there is none. The caller verifies the entry as it verifies one that comes with a signature.
 */
export async function searchLog(
  url: string,
  { payload, signature, signer }: EntrySearch,
  { timeout, client, allows }: LogCall,
): Promise<LogEntry | string> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return `searching log query: ${url} is no URL`;
  }
  const hash = hexOf(await sha256(payload));
  const proposed = {
    kind: "hashedrekord",
    apiVersion: "0.0.1",
    spec: {
      data: { hash: { algorithm: "sha256", value: hash } },
      signature: { content: signature, publicKey: { content: encodeBase64Text(signer) } },
    },
  };
  const endpoint = `${withoutEnding(url, "/")}${searchPath}`;
  const { refused, address } = await allows(new URL(endpoint));
  if (refused !== undefined) return `searching log query: Post "${endpoint}": ${refused}`;
  const pinned = new PinnedClients();
  if (address !== undefined) pinned.pin(new URL(endpoint), address);
  const sent = await send({
    method: "POST",
    url: endpoint,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ entries: [proposed] }),
    timeout,
    maxBytes: mostBytes,
    client: (target) => pinned.clientOf(target) ?? client.use(),
  });
  pinned.close();
  if (!sent.ok) return `searching log query: Post "${endpoint}": ${sent.message}`;
  if (sent.status !== 200) {
    return `searching log query: [POST ${searchPath}][${sent.status}] searchLogQuery default {}`;
  }
  const entry = entryIn(sent.text);
  return isFault(entry) ? `searching log query: ${entry.message}` : entry;
}

/** The first entry of an answer: a list of objects with one entry each. */
function entryIn(text: string): LogEntry | Fault {
  const [first] = asArray(parsePayload(text));
  const [entry] = Object.values(isObject(first) ? first : {});
  if (!isObject(entry)) return new Fault("no signature found: the log has no entry for it");
  const promise = asString(field(entry["verification"], "signedEntryTimestamp")) ?? "";
  const { body = null, integratedTime = null, logID = null, logIndex = null } = entry;
  return readLogBundle(JSON.stringify({
    SignedEntryTimestamp: promise,
    Payload: { body, integratedTime, logID, logIndex },
  }));
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
