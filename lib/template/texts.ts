import type { Environment } from "../jmespath/mod.ts";
import { type DocumentPath, type Fault, isFault, type Json, type Scope } from "../json/mod.ts";
import { planDocument, type PlannedNode } from "./document.ts";
import { pathOf } from "./path.ts";
import { maxText } from "./run.ts";
import { documentOptions, type TemplateOptions } from "./template.ts";
import type { Use } from "./use.ts";

/** The scope and the environment in which a template is rendered. */
export interface Rendering {
  readonly scope: Scope;
  readonly environment: Environment;
}

/** The templates of texts in a document that another language compiles, such as the strings of a pattern. */
export interface TextTemplates {
  /** Returns the rendering of a text that holds a variable or an escape; `undefined` for any other text. */
  readonly dynamic: (
    text: string,
    path: DocumentPath,
  ) => ((rendering: Rendering) => Json | Fault) | undefined;
  /** The variables of all texts compiled so far. */
  readonly uses: readonly Use[];
}

/**
 * Templates of single texts, for a language that walks the document itself: `compilePattern(document, { dynamic })`.
 * It does not resolve references; {@link resolveReferences} does that for the whole document before. Faults name the
 * path of their text behind the steps `within`.
 *
 * ```ts
 * import { textTemplates } from "./texts.ts";
 * import { scopeOf } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const { dynamic, uses } = textTemplates();
 * const environment = { now: () => 0, random: () => 0 };
 * assert.equal(dynamic("nginx:*", ["image"]), undefined);
 * assert.equal(dynamic("{{ tag }}", ["image"])!({ scope: scopeOf({ tag: "v1" }), environment }), "v1");
 * assert.deepEqual(uses[0]!.path, ["image"]);
 * ```
 */
export function textTemplates(options: TemplateOptions = {}, within: DocumentPath = []): TextTemplates {
  const uses: Use[] = [];
  const documentWide = documentOptions(options, uses);
  const dynamic = (
    text: string,
    steps: DocumentPath,
  ): ((rendering: Rendering) => Json | Fault) | undefined => {
    if (!text.includes("{{")) return undefined;
    const path = [...within, ...steps].reduce<string>(pathOf, "");
    const planned = planDocument(text, documentWide, { path, steps });
    return isFault(planned) ? () => planned : renderingOf(planned);
  };
  return { dynamic, uses };
}

function renderingOf(planned: PlannedNode): (rendering: Rendering) => Json | Fault {
  if (planned.kind === "constant") return () => planned.value;
  const { render } = planned;
  return ({ scope, environment }) => render({ scope, environment, room: maxText });
}
