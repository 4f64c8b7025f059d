import { Fault, isList, isObject } from "../json/mod.ts";
import { type Cell, isBlank, scalarText } from "./cell.ts";
import { withoutKey } from "./container.ts";

/** What a patch says with `$patch` about the node where it stands. */
export type Directive = "replace" | "delete" | "merge";

/**
 * Takes the `$patch` directive out of a patch's map or list; `merge` when it has none. In a list it is an element of its
 * own, `- $patch: replace`, and only the first element with that key counts.
 */
export function takeDirective(patch: Cell): Directive | Fault {
  const { value } = patch;
  if (isObject(value)) {
    if (!Object.hasOwn(value, "$patch")) return "merge";
    const directive = directiveOf(scalarText(value.$patch!));
    if (!(directive instanceof Fault)) patch.value = withoutKey(value, "$patch");
    return directive;
  }
  if (!isList(value)) return "merge";
  const element = value.find((item) => isObject(item) && Object.hasOwn(item, "$patch"));
  if (!isObject(element) || Object.keys(element).length > 1) return "merge";
  const text = scalarText(element.$patch!);
  patch.value = value.filter((item) =>
    !isBlank(item) &&
    !(isObject(item) && Object.hasOwn(item, "$patch") && scalarText(item.$patch!) === text)
  );
  return directiveOf(text);
}

function directiveOf(text: string): Directive | Fault {
  if (text === "replace" || text === "delete" || text === "merge") return text;
  return new Fault(`unknown patch strategy '${text}'`);
}
