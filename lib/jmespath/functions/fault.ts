import { Fault } from "../../json/mod.ts";
import { maxText } from "../go_strings.ts";

/** The fault of a function, in the form of Kyverno's messages. */
export function functionFault(name: string, problem: string): Fault {
  return new Fault(`JMESPath function '${name}': ${problem}`);
}

/** An argument of the wrong type, counted from 1, where Kyverno checks it inside the function. */
export function argumentFault(name: string, position: number, type: string): Fault {
  return functionFault(name, `argument #${position} is not of type ${type}`);
}

/** A result larger than any policy needs: a hostile resource could otherwise exhaust the memory. */
export function tooLarge(name: string): Fault {
  return functionFault(name, `the result would have more than ${maxText} characters`);
}
