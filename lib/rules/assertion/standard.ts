import { communityCompiler, communityFunctions, kyvernoFunctions } from "../../jmespath/mod.ts";
import { celForTrees } from "./cel.ts";
import { type Compilers, compilersOf } from "./compilers.ts";

let made: Compilers | undefined;

/** The compilers that policies have: the community's JMESPath with Kyverno's functions, and CEL. Made once. */
export function standardCompilers(): Compilers {
  return made ??= compilersOf(communityCompiler(communityFunctions(kyvernoFunctions())), celForTrees());
}
