import { Fault } from "../../json/mod.ts";

/** A fault of the text, with the position counted from 1. */
export function syntaxFault(message: string, at: number): Fault {
  return new Fault(`SyntaxError: ${message} at character ${at + 1}`);
}
