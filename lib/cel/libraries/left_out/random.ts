import { leftOutLibrary } from "./left_out_library.ts";

export const randomLibrary = leftOutLibrary("kyverno.random");
