import { leftOutLibrary } from "./left_out_library.ts";

export const regexGroupsLibrary = leftOutLibrary("regex");
