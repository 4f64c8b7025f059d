import { isException, notAnException, openList, unusedException } from "../../apply/mod.ts";
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
  const hint = "name policies without --exception, and objects with --resource";
  diagnostics.add(...others.map((document) => notAnException(document, hint)));
  const exceptions = given.documents.filter(isException);
  if (args.exceptionsWithinPolicies) exceptions.push(...within);
  else {
    const rule = "count only with --exceptions-within-policies";
    diagnostics.add(...within.map((document) => unusedException(document, rule)));
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
