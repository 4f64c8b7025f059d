import { fileProblem } from "../diagnostics/mod.ts";
import { join } from "node:path";
import { toYaml } from "../yaml/mod.ts";
import type { Output } from "../apply/mod.ts";

/**
 * Changed and generated objects as YAML: all in one file when the path is that of a `.yaml` or `.yml` file, otherwise
 * each in the file of its name in that folder. Files that are there are replaced, others in the folder stay.
 */
export class ObjectFiles {
  readonly #path: string;
  readonly #isFile: boolean;
  /** Files that hold objects of this run already. */
  readonly #begun = new Set<string>();

  constructor(path: string) {
    this.#path = path;
    this.#isFile = /\.ya?ml$/.test(path);
  }

  /** Makes the folder, or the file empty. The text says what went wrong. */
  open(): Promise<string | undefined> {
    return this.#attempt(async () => {
      if (!this.#isFile) return await Deno.mkdir(this.#path, { recursive: true });
      this.#begun.add(this.#path);
      await Deno.writeTextFile(this.#path, "");
    });
  }

  /** Adds objects. The text says what went wrong. */
  write(outputs: readonly Output[]): Promise<string | undefined> {
    return this.#attempt(async () => {
      for (const { file, object } of outputs) {
        const path = this.#isFile ? this.#path : join(this.#path, `${plainName(file)}.yaml`);
        const text = `${toYaml(object).trimEnd()}\n---\n`;
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

/** A name that stays in its folder, whatever an object calls itself. */
function plainName(name: string): string {
  return name.replace(/[/\\\0]/g, "_").replace(/^\.+/, "_");
}
