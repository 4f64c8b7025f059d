import { asString, field } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { loadDocuments, type LoadedDocuments } from "./load.ts";

/**
 * Documents of policy files, without the tests that lie beside policies: a file that declares a test or its values
 * (cli.kyverno.io), and what the tests name as their resources.
 */
export async function policyDocuments(paths: readonly string[]): Promise<LoadedDocuments> {
  const { documents, diagnostics, files } = await loadDocuments(paths);
  const foreign = new Set(documents.flatMap(belongsToTests));
  const isOurs = (file: string): boolean => !foreign.has(file);
  return {
    documents: documents.filter(({ positionOf }) => isOurs(positionOf([]).file)),
    files: files.filter(({ file }) => isOurs(file)),
    diagnostics: diagnostics.filter(({ position }) => position === undefined || isOurs(position.file)),
  };
}

/** The files that a document makes files of a test: its own, and those that it names. */
function belongsToTests({ value, positionOf }: YamlDocument): string[] {
  const apiVersion = asString(field(value, "apiVersion")) ?? "";
  if (!apiVersion.startsWith("cli.kyverno.io/")) return [];
  const { file } = positionOf([]);
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/") + 1) : "";
  const named = ["resources", "targetResources", "variables", "userinfo"].flatMap((name) => {
    const given = field(value, name);
    return (Array.isArray(given) ? given : [given]).flatMap((each) => asString(each) ?? []);
  });
  return [file, ...named.map((name) => `${folder}${name.replace(/^\.\//, "")}`)];
}
