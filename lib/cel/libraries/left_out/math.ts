import { leftOutLibrary } from "./left_out_library.ts";

export const mathLibrary = leftOutLibrary("math");
