import { leftOutLibrary } from "./left_out_library.ts";

export const urlLibrary = leftOutLibrary("kubernetes.urls");
