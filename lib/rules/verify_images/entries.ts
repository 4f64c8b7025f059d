import type { Context } from "../../context/mod.ts";
import {
  asList,
  BoundedCache,
  type DocumentPath,
  type Fault,
  field,
  isFault,
  isObject,
  type JsonObject,
} from "../../json/mod.ts";
import { type AnyWildcard, compileWildcards } from "../../kube/mod.ts";
import { type ImageVerification, imageVerificationOf } from "../../policy/mod.ts";
import { compileTemplate } from "../../template/mod.ts";
import type { RuleTools } from "../rule_kind.ts";
import {
  type AttestationDenial,
  compileDenyCheck,
  compileStatementConditions,
  type StatementConditions,
} from "./conditions.ts";

/** The images of the object must be signed. */
export interface VerifyImagesBody {
  readonly kind: "verifyImages";
  /** The entries as written: variables are replaced before `imageVerificationOf` parses an entry. */
  readonly entries: readonly JsonObject[];
}

/** A compiled entry of `verifyImages`. */
export interface ImageEntry {
  readonly verification: ImageVerification;
  /** Whether an image matches one of the entry's references. */
  readonly matches: AnyWildcard;
  readonly skips: AnyWildcard;
  /** The conditions of each attestation; `undefined` for an attestation without conditions. */
  readonly conditions: readonly (StatementConditions | undefined)[];
  readonly deny: AttestationDenial | undefined;
}

/** The compiled entries of a rule. */
export interface ImageEntries {
  /** The entries as written. Their image references hold no variables. */
  readonly written: readonly ImageEntry[];
  /** The entries with the variables of a request replaced; a fault when a variable has no value. */
  resolve(context: Context): readonly ImageEntry[] | Fault;
}

/**
 * Characters of all replacements of a rule's variables that are cached, some 60 with a key each. A request may bring
 * texts of megabytes.
 */
const maxResolved = 200_000;

/** Compiles the entries of a rule. Entries without variables are compiled once, others once for each replacement. */
export function compileEntries(objects: readonly JsonObject[], tools: RuleTools): ImageEntries {
  const parts = objects.map((entry, index) => compileParts(entry, tools, ["verifyImages", index]));
  const written = objects.map((entry, index) => imageEntry(entry, parts[index]!));
  // Conditions read attestations, which are not loaded yet.
  const template = compileTemplate({ verifyImages: objects.map(withoutConditions) });
  tools.variables(template.uses, []);
  if (template.uses.length === 0) return { written, resolve: () => written };
  const resolved = new BoundedCache<readonly ImageEntry[]>(maxResolved, (_, text) => text.length);
  return { written, resolve };

  function resolve(context: Context): readonly ImageEntry[] | Fault {
    const rendered = template.render(context, context.environment);
    if (isFault(rendered)) return rendered;
    return resolved.getOrMake(
      JSON.stringify(rendered),
      () =>
        asList(field(rendered, "verifyImages")).filter(isObject).map((entry, index) =>
          imageEntry(entry, parts[index]!)
        ),
    );
  }
}

type Parts = Pick<ImageEntry, "conditions" | "deny">;

function imageEntry(written: JsonObject, parts: Parts): ImageEntry {
  const verification = imageVerificationOf(written);
  return {
    ...parts,
    verification,
    matches: compileWildcards(verification.imageReferences),
    skips: compileWildcards(verification.skipImageReferences),
  };
}

function compileParts(entry: JsonObject, tools: RuleTools, path: DocumentPath): Parts {
  const conditions = asList(entry["attestations"]).filter(isObject).map((attestation, index) =>
    compileStatementConditions(attestation["conditions"], tools, [
      ...path,
      "attestations",
      index,
      "conditions",
    ])
  );
  const deny = field(entry["validate"], "deny");
  const conditionsPath = [...path, "validate", "deny", "conditions"];
  return {
    conditions,
    deny: isObject(deny) ? compileDenyCheck(deny["conditions"] ?? null, tools, conditionsPath) : undefined,
  };
}

function withoutConditions(entry: JsonObject): JsonObject {
  const { attestations, validate } = entry;
  return {
    ...entry,
    ...(attestations !== undefined && {
      attestations: asList(attestations).filter(isObject).map(({ conditions: _, ...rest }) => rest),
    }),
    ...(isObject(validate) && { validate: { message: validate["message"] ?? "" } }),
  };
}
