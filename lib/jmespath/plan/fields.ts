import { Fault, isInherited, type Json } from "../../json/mod.ts";
import { type Evaluate, missingKey } from "./value.ts";

/** Reads one field of a value: null of anything but an object, a fault when the object lacks it. */
type Read = (value: Json) => Json | Fault;

/** A reader of one field, with the fault for its absence made beforehand. */
function reader(name: string): Read {
  const missing = missingKey(name);
  if (isInherited(name)) {
    return (value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
      return Object.hasOwn(value, name) ? (value as { readonly [key: string]: Json })[name]! : missing;
    };
  }
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const found = (value as { readonly [key: string]: Json })[name];
    return found === undefined ? missing : found;
  };
}

/** The fields of the current value, one inside the other. */
export function planFields(names: readonly string[]): Evaluate {
  const readers = names.map(reader);
  const [first, second] = readers as [Read, Read];
  if (readers.length === 1) return first;
  if (readers.length === 2) {
    return (current) => {
      const value = first(current);
      return value instanceof Fault ? value : second(value);
    };
  }
  return (current) => walk(readers, current);
}

/** A root name of the scope and the fields inside it. */
export function planRootFields(name: string, names: readonly string[]): Evaluate {
  const missing = missingKey(name);
  if (names.length === 0) return (_current, run) => rootValue(run.scope.get(name), missing);
  const readers = names.map(reader);
  return (_current, run) => {
    const value = rootValue(run.scope.get(name), missing);
    return value instanceof Fault ? value : walk(readers, value);
  };
}

function rootValue(value: Json | Fault | undefined, missing: Fault): Json | Fault {
  return value === undefined ? missing : value;
}

function walk(readers: readonly Read[], from: Json): Json | Fault {
  let value: Json | Fault = from;
  for (let index = 0; index < readers.length; index++) {
    value = readers[index]!(value);
    // null stays null down the chain.
    if (value === null || value instanceof Fault) return value;
  }
  return value;
}
