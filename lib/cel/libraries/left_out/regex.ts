import { leftOutLibrary } from "./left_out_library.ts";

export const regexLibrary = leftOutLibrary("kubernetes.regex");
