import { styleText } from "node:util";
import type { TestStyle, TestTableOptions } from "../report/mod.ts";
import type { Terminal } from "./terminal.ts";

const colours = {
  name: ["bold", "cyan"],
  pass: ["bold", "green"],
  fail: ["bold", "red"],
  skip: ["bold", "cyan"],
  remark: ["bold", "yellow"],
  heading: [],
} as const satisfies Record<TestStyle, readonly Parameters<typeof styleText>[0][]>;

/** Paints tables if the terminal shows colours and no option switches them off. */
export function painter(
  { colours: isColoured = false }: Terminal,
  { removeColor }: { readonly removeColor: boolean },
): NonNullable<TestTableOptions["paint"]> {
  if (!isColoured || removeColor) return (_, text) => text;
  return (style, text) =>
    colours[style].length === 0 ? text : styleText([...colours[style]], text, { validateStream: false });
}
