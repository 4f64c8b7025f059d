import type { Locate } from "../diagnostics/mod.ts";
import { asList, asString, asTexts, dig, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import { celGroup } from "./cel_kinds.ts";
import type { LocatedDocument } from "./located_document.ts";
import { policyKey } from "./policy_key.ts";

/** A PolicyException of `policies.kyverno.io`. */
export interface CelException {
  /** `namespace/name`, in messages. */
  readonly key: string;
  readonly references: readonly { readonly name: string; readonly kind: string }[];
  readonly matchConditions: Json | undefined;
  /** Globs of images that the policy must allow; the policy is then not skipped. */
  readonly images: readonly string[];
  readonly allowedValues: readonly string[];
  readonly result: "skip" | "pass";
  /** The priority: of several exceptions the one with the highest decides about the result. */
  readonly priority: number;
  /** The end of the exception in milliseconds since 1970; `undefined` for none. */
  readonly expires: number | undefined;
  readonly locate: Locate;
  readonly document: JsonObject;
}

/** Whether a document is an exception from policies in CEL. */
export function isCelException({ group, kind }: Pick<LocatedDocument, "group" | "kind">): boolean {
  return group === celGroup && kind === "PolicyException";
}

/** Parses an exception. An `expiresAt` that is not a time counts as over. */
export function parseCelException({ document, locate }: LocatedDocument): CelException {
  const name = nameOf(document);
  const namespace = namespaceOf(document);
  const spec = field(document, "spec");
  const priority = Number(asString(dig(document, "metadata", "labels", "polex.kyverno.io/priority")) ?? "0");
  const expires = asString(field(spec, "expiresAt"));
  return {
    key: policyKey({ name, namespace }),
    references: asList(field(spec, "policyRefs")).filter(isObject).map((reference) => ({
      name: asString(reference["name"]) ?? "",
      kind: asString(reference["kind"]) ?? "",
    })),
    matchConditions: field(spec, "matchConditions"),
    images: asTexts(field(spec, "images")),
    allowedValues: asTexts(field(spec, "allowedValues")),
    result: field(spec, "reportResult") === "pass" ? "pass" : "skip",
    priority: Number.isInteger(priority) ? priority : 0,
    expires: expires === undefined ? undefined : Date.parse(expires),
    locate,
    document,
  };
}
