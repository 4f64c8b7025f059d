import type { Json } from "../../json/mod.ts";
import { perCharacter } from "../costs.ts";

/** The cost of trimming: a set of the characters is made, and the text is read. */
export function trimming([text, characters]: readonly Json[], limit: number): number {
  return perCharacter(1)([characters ?? ""], limit) + perCharacter(0.5)([text!], limit);
}

/** The text without the given characters at its ends, or at one of them. */
export function trimmed(text: string, characters: string, side?: "start" | "end"): string {
  const cut = new Set<number>();
  for (let at = 0; at < characters.length; at += widthOf(characters.codePointAt(at)!)) {
    cut.add(characters.codePointAt(at)!);
  }
  let start = 0, end = text.length;
  while (side !== "end" && start < end) {
    const first = text.codePointAt(start)!;
    if (!cut.has(first)) break;
    start += widthOf(first);
  }
  while (side !== "start" && end > start) {
    const pair = end - 2 >= start ? text.codePointAt(end - 2)! : 0;
    const last = pair > 0xffff ? pair : text.charCodeAt(end - 1);
    if (!cut.has(last)) break;
    end -= widthOf(last);
  }
  return text.slice(start, end);
}

function widthOf(point: number): 1 | 2 {
  return point > 0xffff ? 2 : 1;
}
