/** A CEL program with the libraries of Kubernetes, and the values that it reads. */
import assert from "node:assert/strict";
import {
  createEnvironment,
  dynType,
  kubernetesLibraries,
  type Library,
  type Program,
} from "../../lib/cel/mod.ts";
import type { Json } from "../../lib/json/mod.ts";

const names = { object: dynType };

export function program(text: string, libraries: readonly Library[] = kubernetesLibraries): Program {
  const compiled = createEnvironment({ variables: names, libraries }).compile(text);
  assert(compiled.ok, text);
  return compiled.program;
}

export const object = { name: "web", items: Array.from({ length: 10_000 }, (_, index) => index) };

export const activation = (name: string): Json | undefined => name === "object" ? object : undefined;
