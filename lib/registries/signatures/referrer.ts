import { asList, isFault, textField } from "../../json/mod.ts";
import type { Answer, ReferrerQuery } from "../../ports.ts";
import type { CachedContent } from "../registry/cached_content.ts";
import type { RegistryAccess } from "../registry/registry_reader.ts";
import { manifestName } from "../registry/reference.ts";
import { parsePayload } from "./payload.ts";

/** The repository from which a referrer is read, and the deadline. */
export interface ReferrerSource {
  readonly content: CachedContent;
  readonly access: RegistryAccess;
  readonly until: number;
}

const maxReferrers = 50;
const maxLayerBytes = 10_000_000;

/** Reads the JSON in the only layer of an image's first referrer of an artifact type. */
export async function readReferrer(
  { artifactType }: ReferrerQuery,
  { content, access, until }: ReferrerSource,
): Promise<Answer> {
  const image = await content.image(access, manifestName(access.reference), until);
  if (isFault(image)) return failed(image.message, image.status);
  const referrers = await content.referrers(access, image.digest, { most: maxReferrers, until });
  if (isFault(referrers)) return failed(referrers.message, referrers.status);
  if (referrers.length > maxReferrers) {
    return failed(`failed to fetch referrers: too many referrers found, max limit is ${maxReferrers}`);
  }
  const found = referrers.find((each) => each.artifactType === artifactType);
  if (found === undefined) return failed(`artifact of type ${artifactType} not found`, 404);
  const text = await readLayer(found.digest, { content, access, until });
  if (typeof text !== "string") return text;
  const body = parsePayload(text);
  return body === undefined ? failed("failed to unmarshal json") : { ok: true, status: 200, body };
}

/** Reads the text of an artifact's only layer. */
export async function readLayer(
  digest: string,
  { content, access, until }: ReferrerSource,
): Promise<string | Extract<Answer, { ok: false }>> {
  const manifest = await content.signatures(access, digest, until);
  if (isFault(manifest)) return failed(manifest.message, manifest.status);
  const [layer, ...more] = asList(manifest.value["layers"]);
  if (more.length > 0) return failed("more than one layer found");
  const blob = await content.blob(access, textField(layer, "digest"), {
    maxBytes: maxLayerBytes,
    until,
  });
  if (isFault(blob)) return failed(blob.message, blob.status);
  return new TextDecoder().decode(blob);
}

function failed(message: string, status?: number): Extract<Answer, { ok: false }> {
  return { ok: false, status, message };
}
