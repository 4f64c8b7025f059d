import { openList } from "../../apply/mod.ts";
import type { Diagnostic } from "../../diagnostics/mod.ts";
import { field, textField } from "../../json/mod.ts";
import { loadDocuments, policyDocuments, streamDocuments } from "../../sources/mod.ts";
import type { YamlDocument } from "../../yaml/mod.ts";
import type { Diagnostics } from "../diagnostics.ts";

/** The options that name policies and exceptions. */
export interface PolicyFileArguments {
  readonly policies: readonly string[];
  readonly resource: readonly string[];
  readonly exception: readonly string[];
  readonly exceptionsWithinPolicies: boolean;
  readonly exceptionsWithinResources: boolean;
  readonly gitBranch?: string;
  readonly username?: string;
  readonly password?: string;
}

/** Reads policies, and the exceptions that are in effect. */
export async function readPolicyFiles(
  args: PolicyFileArguments,
  diagnostics: Diagnostics,
): Promise<{ policies: YamlDocument[]; exceptions: YamlDocument[] }> {
  const remote = { branch: args.gitBranch, username: args.username, password: args.password };
  const loaded = await policyDocuments(args.policies, remote);
  const given = await loadDocuments(args.exception);
  diagnostics.add(...loaded.diagnostics, ...given.diagnostics);
  const policies = loaded.documents.filter((document) => !isException(document));
  const within = loaded.documents.filter(isException);
  const others = given.documents.filter((document) => !isException(document));
  diagnostics.add(...others.map(notAnException));
  const exceptions = given.documents.filter(isException);
  if (args.exceptionsWithinPolicies) exceptions.push(...within);
  else {
    diagnostics.add(...within.map(({ positionOf }): Diagnostic => ({
      severity: "warning",
      code: "unused-exception",
      message: "PolicyExceptions among the policies count only with --exceptions-within-policies",
      position: positionOf([]),
    })));
  }
  if (args.exceptionsWithinResources) exceptions.push(...await exceptionsOfFiles(args.resource));
  if (policies.every(({ value }) => openList(value).length === 0) && diagnostics.errors === 0) {
    const message = `${args.policies.join(", ")}: there are no policies`;
    diagnostics.add({ severity: "error", code: "no-policies", message });
  }
  return { policies, exceptions };
}

async function exceptionsOfFiles(paths: readonly string[]): Promise<YamlDocument[]> {
  const exceptions: YamlDocument[] = [];
  for await (const part of streamDocuments(paths)) {
    if (part.kind === "document" && isException(part.document)) exceptions.push(part.document);
  }
  return exceptions;
}

/** Whether a document is a PolicyException, or a list of them. */
function isException({ value }: YamlDocument): boolean {
  const objects = openList(value);
  return objects.length > 0 && objects.every((object) => object["kind"] === "PolicyException");
}

/** Kyverno parity: a file of exceptions holds nothing else. Pinned by tests/cli/apply_exceptions_test.ts. */
function notAnException({ value, positionOf }: YamlDocument): Diagnostic {
  const apiVersion = textField(value, "apiVersion") || "no apiVersion";
  return {
    severity: "error",
    code: "unknown-kind",
    message: `"${textField(value, "kind")}" (${apiVersion}) is no PolicyException`,
    hint: "name policies without --exception, and objects with --resource",
    position: positionOf(field(value, "kind") === undefined ? [] : ["kind"]),
  };
}
