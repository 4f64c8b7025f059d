import { failure } from "../fault.ts";
import type * as full from "../pattern.ts";

const problem = failure("this bundle was made without regular expressions: make it again with the policy");

const compilePattern: typeof full.compilePattern = () => problem;
const compiling: typeof full.compiling = (implementation) => ({
  call: implementation(compilePattern),
  forCall: () => implementation(compilePattern),
});
const isPattern: typeof full.isPattern = () => true;
const matchesPattern: typeof full.matchesPattern = () => problem;
const countedText: typeof full.countedText = (_pattern, text) => text;
const isFound: typeof full.isFound = () => false;

export { compilePattern, compiling, countedText, isFound, isPattern, matchesPattern };
