import { leftOutLibrary } from "./left_out_library.ts";

export const quantityLibrary = leftOutLibrary("kubernetes.quantity");
