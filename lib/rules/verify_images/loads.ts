import type { LoadTracker } from "../../context/mod.ts";
import { type Fault, isFault, type Json } from "../../json/mod.ts";
import type {
  Answer,
  DigestAnswer,
  ReferrerQuery,
  RegistryCredentials,
  SignatureAnswer,
  SignatureQuery,
  SignedTextAnswer,
  SignedTextQuery,
} from "../../ports.ts";

/** The answer is loading: the caller stops, and the rule is evaluated again afterwards. */
export const pending = Symbol("pending");
/** The type of {@link pending}. */
export type Pending = typeof pending;

/** Loads whether an image is signed. A request loads equal queries once. */
export function loadVerdict(tracker: LoadTracker, query: SignatureQuery): SignatureAnswer | Pending {
  const { signatures } = tracker.ports;
  if (signatures === undefined) return unanswered("signatures cannot be verified here");
  // The load's name: at a deadline the message names the registries that were called.
  const { image, repository } = query;
  const answer = loadOnce(
    tracker,
    {
      name: `signatures of ${image}${repository === "" ? "" : ` in ${repository}`}`,
      key: JSON.stringify(query),
    },
    () => signatures.verify(query, tracker.signal),
  );
  return isFault(answer) ? unanswered(answer.message) : answer;
}

/** Loads the digest that a registry has for an image. */
export function loadDigest(
  tracker: LoadTracker,
  image: string,
  credentials: RegistryCredentials,
): DigestAnswer | Pending {
  const { signatures } = tracker.ports;
  if (signatures === undefined) return noDigest("registries cannot be reached here");
  const answer = loadOnce(
    tracker,
    { name: `digest of ${image}`, key: JSON.stringify(credentials) },
    () => signatures.digest(image, credentials, tracker.signal),
  );
  return isFault(answer) ? noDigest(answer.message) : answer;
}

/** Loads the record of an image: manifest, configuration, and the names and the digest under which it is stored. */
export function loadImage(
  tracker: LoadTracker,
  image: string,
  credentials: RegistryCredentials,
): Answer | Pending {
  const answer = loadOnce(
    tracker,
    { name: `image ${image}`, key: `record ${JSON.stringify(credentials)}` },
    () => tracker.ports.registry.image(image, credentials, tracker.signal),
  );
  return isFault(answer) ? { ok: false, status: undefined, message: answer.message } : answer;
}

/** Loads whether a text was signed. `key` distinguishes this load from others for the same object. */
export function loadTextVerdict(
  tracker: LoadTracker,
  query: SignedTextQuery,
  { name, key }: { readonly name: string; readonly key: string },
): SignedTextAnswer | Pending {
  const { signatures } = tracker.ports;
  if (signatures === undefined) return { ok: false, message: "signatures cannot be verified here" };
  const answer = loadOnce(tracker, { name, key }, () => signatures.verifyText(query, tracker.signal));
  return isFault(answer) ? { ok: false, message: answer.message } : answer;
}

/** Loads the JSON of an artifact that refers to an image. */
export function loadReferrer(tracker: LoadTracker, query: ReferrerQuery): Answer | Pending {
  const { signatures } = tracker.ports;
  const failed = (message: string): Answer => ({ ok: false, status: undefined, message });
  if (signatures === undefined) return failed("registries cannot be reached here");
  const name = `referrers of ${query.image}`;
  const answer = loadOnce(
    tracker,
    { name, key: JSON.stringify(query) },
    () => signatures.referrer(query, tracker.signal),
  );
  return isFault(answer) ? failed(answer.message) : answer;
}

function loadOnce<Result extends object>(
  tracker: LoadTracker,
  { name, key }: { readonly name: string; readonly key: string },
  load: () => Promise<Result>,
): Result | Pending | Fault {
  const { pendingReads } = tracker;
  // The load tracker keeps answers for the time of a request and does not read them.
  const answer = tracker.load(name, async () => await load() as unknown as Json, key);
  if (tracker.pendingReads !== pendingReads) return pending;
  // The only fault left is the deadline, whose message names the image and so its registry.
  return isFault(answer) ? answer : answer as unknown as Result;
}

function unanswered(message: string): SignatureAnswer {
  return { ok: false, why: "no connection", message, digest: undefined, tried: [], cached: false };
}

function noDigest(message: string): DigestAnswer {
  return { ok: false, why: "no connection", message };
}
