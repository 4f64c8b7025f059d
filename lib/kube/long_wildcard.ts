import { TextSearch } from "../json/mod.ts";
import { WildcardRun } from "./wildcard_run.ts";

/**
 * Compiles a pattern of thousands of characters, which comes with a request. Its runs between stars are made when a
 * text is compared, one after the other: a list of a million runs takes a quarter of a second and some hundred
 * megabytes. A text that is shorter than the pattern without its stars is compared with nothing.
 */
export function compileLongWildcard(written: string): (text: string) => boolean {
  const pattern = written.replace(/\*{2,}/g, "*");
  const first = pattern.indexOf("*"), last = pattern.lastIndexOf("*");
  const least = pattern.length - starsIn(pattern);
  const endOf = pattern.includes("?") ? endOfRun : endOfText;
  return (text) => {
    if (text.length < least) return false;
    if (first < 0) return new WildcardRun(pattern).endAt(text, 0) === text.length;
    const suffix = new WildcardRun(pattern.slice(last + 1)), end = suffix.startBefore(text, text.length);
    let at = new WildcardRun(pattern.slice(0, first)).endAt(text, 0);
    if (at < 0 || end < at || suffix.endAt(text, end) < 0) return false;
    for (let star = first; star < last;) {
      const next = pattern.indexOf("*", star + 1);
      at = endOf(pattern.slice(star + 1, next), text, at);
      if (at < 0 || at > end) return false;
      star = next;
    }
    return true;
  };
}

/** The end of the first match of a run at or after a position of a text; -1 if there is none. */
function endOfRun(run: string, text: string, from: number): number {
  return new WildcardRun(run).endAfter(text, from);
}

/** The same for a run without `?`. */
function endOfText(run: string, text: string, from: number): number {
  const found = new TextSearch(run).positionIn(text, from);
  return found < 0 ? -1 : found + run.length;
}

function starsIn(pattern: string): number {
  let stars = 0;
  for (let at = pattern.indexOf("*"); at >= 0; at = pattern.indexOf("*", at + 1)) stars++;
  return stars;
}
