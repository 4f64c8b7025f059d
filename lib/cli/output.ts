import { fileProblem } from "../diagnostics/mod.ts";
import { dirname, join } from "node:path";
import { goYaml } from "../yaml/mod.ts";
import type { Output } from "../apply/mod.ts";

/**
 * Writes changed and generated objects as YAML: all to one file when the path ends in `.yaml` or `.yml`, otherwise each
 * to a file of its name in that folder. It replaces files of the same name and keeps others in the folder.
 */
export class ObjectFiles {
  readonly #path: string;
  readonly #isFile: boolean;
  /** Files that this run has already written objects to. */
  readonly #begun = new Set<string>();

  constructor(path: string) {
    this.#path = path;
    this.#isFile = /\.ya?ml$/.test(path);
  }

  /** Creates the folder, and creates or empties the file. A returned text describes the error. */
  open(): Promise<string | undefined> {
    return this.#attempt(async () => {
      if (!this.#isFile) return await Deno.mkdir(this.#path, { recursive: true });
      this.#begun.add(this.#path);
      await Deno.mkdir(dirname(this.#path), { recursive: true });
      await Deno.writeTextFile(this.#path, "");
    });
  }

  /** Adds objects. A returned text describes the error. */
  write(outputs: readonly Output[]): Promise<string | undefined> {
    return this.#attempt(async () => {
      for (const { file, object } of outputs) {
        const path = this.#isFile ? this.#path : join(this.#path, `${plainName(file)}.yaml`);
        // Kyverno parity: four spaces, and an empty line on both sides of the mark. Pinned by tests/cli/output_test.ts.
        const text = `${goYaml(object, 4)}\n---\n\n`;
        await Deno.writeTextFile(path, text, { append: this.#begun.has(path) });
        this.#begun.add(path);
      }
    });
  }

  async #attempt(work: () => Promise<void>): Promise<string | undefined> {
    try {
      await work();
      return undefined;
    } catch (cause) {
      return `cannot write to ${this.#path}: ${fileProblem(cause, "write")}`;
    }
  }
}

/** A file name that stays inside the folder, whatever name an object has. */
function plainName(name: string): string {
  return name.replace(/[/\\\0]/g, "_").replace(/^\.+/, "_");
}
