/** The output of commands on a terminal: texts of objects and policies are shown, and do nothing. */
import assert from "node:assert/strict";
import { styleText } from "node:util";
import { shownText } from "../../lib/cli/terminal.ts";

const texts: Readonly<Record<string, readonly [text: string, shown: string]>> = {
  "that clears it": ["a\x1b[2J\x1b[Hb", "a\\u001b[2J\\u001b[Hb"],
  "that changes its title": ["\x1b]0;title\x07", "\\u001b]0;title\\u0007"],
  "with controls of one character": ["\x9b2J\x85\x7f", "\\u009b2J\\u0085\\u007f"],
  "that overwrites its line": ["denied\rpassed\b", "denied\\u000dpassed\\u0008"],
  "that hides what follows": ["\x1b[8mfail", "\\u001b[8mfail"],
  "that is shown in another order": ["a\u202eb\u2066c", "a\\u202eb\\u2066c"],
  "with line breaks and tabs": ["a\n\tb\r\nc é 漢", "a\n\tb\r\nc é 漢"],
};

for (const [what, [text, shown]] of Object.entries(texts)) {
  Deno.test(`a text ${what} is shown on a terminal as it is written`, () => {
    assert.equal(shownText(text), shown);
  });
}

Deno.test("the colours of tables stay on a terminal", () => {
  for (const style of ["cyan", "green", "red", "yellow"] as const) {
    const text = styleText(["bold", style], "Fail", { validateStream: false });
    assert.equal(shownText(text), text);
  }
});
