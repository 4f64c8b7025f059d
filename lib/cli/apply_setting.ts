import { compile, type Snapshot } from "../engine/mod.ts";
import { formatDiagnostic } from "../diagnostics/mod.ts";
import { isFault, type Json, type JsonObject } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { parseYaml } from "../yaml/mod.ts";
import type { ApplyOptions } from "../apply/mod.ts";
import { readUser } from "../apply/mod.ts";
import { loadDocuments } from "../sources/mod.ts";
import { manifestObjects } from "../apply/mod.ts";
import { openPorts } from "../host/mod.ts";
import type { Terminal } from "./terminal.ts";
import { noValues, readValues } from "../apply/mod.ts";

/** What commands that apply policies to objects in files are given. */
export interface ApplySettingArguments {
  readonly policies: readonly string[];
  readonly resources: readonly string[];
  /** AdmissionReviews, for commands that take them: then there need be no objects. */
  readonly reviews?: readonly string[];
  readonly valuesFile?: string;
  readonly userinfo?: string;
  readonly exceptions?: readonly string[];
  readonly cluster: readonly string[];
  readonly kubeconfig?: string;
  readonly trustedRoot?: string;
  readonly searchLogs?: boolean;
  readonly dialect: Dialect;
}

/** Policies and objects that were read, and what applying the one to the other needs. */
export interface ApplySetting {
  readonly snapshot: Snapshot;
  readonly objects: readonly JsonObject[];
  readonly reviews: readonly Json[];
  readonly options: ApplyOptions;
}

/** Reads everything that is named; diagnostics go to the terminal, and what cannot be read at all is a problem. */
export async function readApplySetting(
  args: ApplySettingArguments,
  terminal: Terminal,
): Promise<ApplySetting | { readonly problem: string }> {
  const policies = await loadDocuments([...args.policies, ...args.exceptions ?? []]);
  const resources = await loadDocuments(args.resources);
  const reviews = await loadDocuments(args.reviews ?? []);
  const snapshot = compile(policies.documents, { dialect: args.dialect });
  const diagnostics = [
    ...policies.diagnostics,
    ...snapshot.diagnostics,
    ...resources.diagnostics,
    ...reviews.diagnostics,
  ];
  for (const diagnostic of diagnostics) terminal.err(formatDiagnostic(diagnostic));
  const values = await readOptional(args.valuesFile, readValues, noValues);
  const user = await readOptional(args.userinfo, readUser, undefined);
  if ("problem" in values) return values;
  if (user !== undefined && "problem" in user) return user;
  if (resources.documents.length + reviews.documents.length === 0) {
    return { problem: "no resources: name files or folders with --resource" };
  }
  const objects = manifestObjects(resources.documents);
  const { cluster, kubeconfig, trustedRoot, searchLogs = false } = args;
  const opened = await openPorts({ cluster, kubeconfig, objects, images: { trustedRoot, searchLogs } });
  if (isFault(opened)) return { problem: opened.message };
  for (const diagnostic of opened.diagnostics) terminal.err(formatDiagnostic(diagnostic));
  const absent = args.cluster.length > 0 || args.kubeconfig !== undefined ? [] : offline;
  return {
    snapshot,
    objects,
    reviews: reviews.documents.map(({ value }) => value),
    options: { snapshot, ports: opened.ports, values, user, absent },
  };
}

/** Without a cluster, API calls see the objects at hand, and values must stand in for the rest. */
const offline = ["configMap", "globalReference", "imageRegistry", "downstream"] as const;

/** Says what could not be read; the exit code of such commands. */
export function unreadable(problem: string, terminal: Terminal): number {
  terminal.err(`error: ${problem}`);
  return 2;
}

async function readOptional<T, D>(
  path: string | undefined,
  read: (document: Json) => T,
  fallback: D,
): Promise<T | D | { readonly problem: string }> {
  if (path === undefined) return fallback;
  try {
    const document = parseYaml(await Deno.readTextFile(path));
    return isFault(document) ? { problem: `${path}: ${document.message}` } : read(document);
  } catch (cause) {
    return { problem: `${path}: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
}
