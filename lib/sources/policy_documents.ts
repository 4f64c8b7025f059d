import type { Diagnostic } from "../diagnostics/mod.ts";
import { asString, field, isObject, textField } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import type { GitOptions } from "./git.ts";
import { loadDocuments, type LoadedDocuments } from "./load.ts";

/**
 * The documents of policy files, without other documents in their folders: tests and their values (cli.kyverno.io),
 * the resources that tests name, and documents of other tools, each of which is a warning. In a file that is named
 * directly every document counts.
 */
export async function policyDocuments(
  paths: readonly string[],
  remote: GitOptions = {},
): Promise<LoadedDocuments> {
  const { documents, diagnostics, files } = await loadDocuments(paths, remote);
  const foreign = new Set(documents.flatMap(belongsToTests));
  const isOurs = (file: string): boolean => !foreign.has(file);
  const remarks: Diagnostic[] = [];
  return {
    documents: documents.filter((document) => {
      const { file } = document;
      if (!isOurs(file)) return false;
      if (paths.includes(file) || mayBePolicy(document)) return true;
      remarks.push({
        severity: "warning",
        code: "no-policy",
        message: "The document is no policy and is passed over",
        hint: "name the file itself to have it checked",
        position: document.positionOf([]),
      });
      return false;
    }),
    files: files.filter(({ file }) => isOurs(file)),
    diagnostics: [
      ...diagnostics.filter(({ position }) => position === undefined || isOurs(position.file)),
      ...remarks,
    ],
  };
}

/** The API groups of policies. */
const groups: readonly string[] = [
  "kyverno.io",
  "policies.kyverno.io",
  "json.kyverno.io",
  "admissionregistration.k8s.io",
];

function mayBePolicy({ value }: YamlDocument): boolean {
  if (!isObject(value)) return false;
  const [group, version] = (asString(value["apiVersion"]) ?? "").split("/");
  if (version !== undefined && groups.includes(group!)) return true;
  return Array.isArray(value["items"]) || /Policy$/.test(asString(value["kind"]) ?? "");
}

/** The files that a document marks as files of a test: its own, and those that it names. */
function belongsToTests({ value, file }: YamlDocument): string[] {
  const apiVersion = textField(value, "apiVersion");
  if (!apiVersion.startsWith("cli.kyverno.io/")) return [];
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/") + 1) : "";
  const named = ["resources", "targetResources", "variables", "userinfo"].flatMap((name) => {
    const given = field(value, name);
    return (Array.isArray(given) ? given : [given]).flatMap((each) => asString(each) ?? []);
  });
  return [file, ...named.map((name) => `${folder}${name.replace(/^\.\//, "")}`)];
}
