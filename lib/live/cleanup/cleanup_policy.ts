import { existingRequest } from "../../background/mod.ts";
import { compile, type CompileOptions, nobody, type PolicyRequest, type Snapshot } from "../../engine/mod.ts";
import { asObject, asString, field, type JsonObject, textField } from "../../json/mod.ts";
import { nameOf, namespaceOf } from "../../kube/mod.ts";
import {
  type CelException,
  cleanupValidation,
  isCelException,
  type LocatedDocument,
  parseCelException,
} from "../../policy/mod.ts";
import { objectDocument } from "../object_document.ts";

/** A compiled policy that deletes objects on a schedule. */
export interface CleanupPolicy {
  readonly schedule: string;
  /** The namespace of its objects; `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  readonly propagation: string | undefined;
  /**
   * The snapshot with the one policy. Its result for an object decides whether the object is deleted. It is compiled
   * when it is first read: a cluster may have thousands of such policies, of which few are due.
   */
  readonly snapshot: Snapshot;
  readonly deletes: "pass" | "fail";
  /** The words of its events for a deletion. */
  readonly words: { readonly done: string; readonly attempt: string };
}

/** How an administrator grants the rights that a cleanup lacks; messages end with it. */
export const grantCleanupRights =
  `grant it with a ClusterRole labelled rbac.kyverno.io/aggregate-to-cleanup-controller: "true"`;

/** Exceptions that may exempt objects from cleanups, each with the policies that it names. */
export type CleanupExceptions =
  readonly (Pick<LocatedDocument, "document"> & Pick<CelException, "references">)[];

/** Reads exceptions once for all policies; those of other languages exempt nothing from a cleanup. */
export function cleanupExceptions(documents: readonly LocatedDocument[]): CleanupExceptions {
  return documents.filter(isCelException).map((each) => ({
    document: each.document,
    references: parseCelException(each).references,
  }));
}

/** The exceptions from a policy; a CleanupPolicy has none. */
export function exceptionsFrom(object: JsonObject, exceptions: CleanupExceptions): JsonObject[] {
  return exceptions.filter(({ references }) =>
    references.some(({ kind, name }) => kind === object["kind"] && name === nameOf(object))
  ).map(({ document }) => document);
}

/** Reads a CleanupPolicy, ClusterCleanupPolicy, DeletingPolicy or NamespacedDeletingPolicy with its exceptions. */
export function cleanupPolicy(
  object: JsonObject,
  { compiling, exceptions = [] }: {
    readonly compiling: CompileOptions;
    readonly exceptions?: readonly JsonObject[];
  },
): CleanupPolicy {
  const spec = asObject(object["spec"]) ?? {};
  const kind = asString(object["kind"]) ?? "";
  const isClassic = kind.endsWith("CleanupPolicy");
  const document = isClassic ? cleanupValidation(object) : object;
  const isNamespaced = kind === "CleanupPolicy" || kind === "NamespacedDeletingPolicy";
  let snapshot: Snapshot | undefined;
  return {
    schedule: textField(spec, "schedule"),
    namespace: isNamespaced ? namespaceOf(object) : undefined,
    propagation: asString(field(spec, "deletionPropagationPolicy")),
    get snapshot() {
      return snapshot ??= compile([document, ...exceptions].map(objectDocument), compiling);
    },
    deletes: isClassic ? "fail" : "pass",
    words: isClassic ? { done: "cleaned up", attempt: "clean up" } : { done: "deleted", attempt: "delete" },
  };
}

/** The request with which a cleanup is decided for an object. */
export function cleanupRequest(object: JsonObject): PolicyRequest {
  return { ...existingRequest(object), requester: nobody };
}

/** The mistakes in the expressions of a CleanupPolicy or ClusterCleanupPolicy, for which it would delete nothing. */
export function cleanupMistakes(object: JsonObject, compiling: CompileOptions): string[] {
  const { diagnostics } = cleanupPolicy(object, { compiling }).snapshot;
  return diagnostics.filter(({ severity, code }) =>
    // A policy that matches nothing deletes nothing, and is stored.
    severity === "error" && code !== "empty-match" || code === "bad-expression" || code === "bad-selector"
  )
    .map(({ message }) => message);
}
