import type { Diagnostic } from "../diagnostics/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import type { LoadedDocuments } from "./load.ts";

/** The documents that come into force, and the files whose former version stays in force. */
export interface AcceptedDocuments {
  readonly documents: readonly YamlDocument[];
  readonly kept: readonly string[];
}

interface Version {
  readonly documents: readonly YamlDocument[];
  /** Whether its policies have no errors. */
  readonly isClean: boolean;
}

/** The versions of the files that are in force. */
export class FormerVersions {
  #versions = new Map<string, Version>();

  /**
   * The documents that a load puts in force. A half-written or emptied file leaves its former version in force, and
   * so does a path that is missing for a moment; policies with errors do not replace policies without. Deleting a
   * file from its folder removes its policies.
   */
  accept(
    { files, documents, diagnostics }: LoadedDocuments,
    errors: readonly Diagnostic[],
  ): AcceptedDocuments {
    const read = new Map<string, readonly YamlDocument[]>(files.map(({ file }) => [file, []]));
    for (const document of documents) {
      const { file } = document;
      read.set(file, [...read.get(file) ?? [], document]);
    }
    const unreadable = filesOf(diagnostics), faulty = filesOf(errors);
    for (const [file, found] of read) if (found.every(({ value }) => value === null)) unreadable.add(file);
    const accepted = new Map([...read].map(([file, found]): [string, Version] => [
      file,
      { documents: found, isClean: !isBelow(file, unreadable) && !faulty.has(file) },
    ]));
    const kept: string[] = [];
    for (const [file, former] of this.#versions) {
      if (!isBelow(file, unreadable) && !(former.isClean && faulty.has(file))) continue;
      accepted.set(file, former);
      if (former.documents.length > 0) kept.push(file);
    }
    this.#versions = accepted;
    return { documents: [...accepted.values()].flatMap((version) => version.documents), kept };
  }
}

function filesOf(diagnostics: readonly Diagnostic[]): Set<string> {
  return new Set(diagnostics.filter(isError).map(({ position }) => position?.file ?? ""));
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** Whether a file is one of some paths, or inside a folder among them. */
function isBelow(file: string, paths: ReadonlySet<string>): boolean {
  return paths.has(file) ||
    [...paths].some((path) => path !== "" && file.startsWith(path.endsWith("/") ? path : `${path}/`));
}
