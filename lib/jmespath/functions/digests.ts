import { type DigestAlgorithm, hexDigest } from "../../bytes/mod.ts";
import { perCharacter } from "../costs.ts";
import { ofText } from "./of_text.ts";
import type { FunctionNotes, FunctionRecord } from "./record.ts";

/** The steps of beginning and printing a digest. */
const stepsOfDigest = 80;

/** Kyverno's functions that digest texts. */
export const digests: readonly FunctionRecord[] = [
  ofText({
    name: "sha256",
    returns: ["string"],
    steps: stepsOfDigest,
    cost: perCharacter(0.25),
  }, digest("sha256")),
  ofText({
    name: "sha1",
    returns: ["string"],
    steps: stepsOfDigest,
    cost: perCharacter(0.25),
  }, digest("sha1")),
  ofText({
    name: "md5",
    returns: ["string"],
    steps: stepsOfDigest,
    cost: perCharacter(0.25),
  }, digest("md5")),
];

function digest(algorithm: DigestAlgorithm): (text: string) => string {
  return (text) => hexDigest(algorithm, text);
}

/** The notes of these functions. */
export const digestNotes: FunctionNotes = {
  sha256: {
    summary: "The SHA-256 digest of a text in hexadecimal.",
    examples: [{
      expression: "sha256('alertmanager')",
      result: "11e295cda8ce492b522a7ba16a3a73db96012f00acd8f129d5c2a3012c3408d3",
    }],
  },
  sha1: {
    summary: "The SHA-1 digest of a text in hexadecimal.",
    examples: [{ expression: "sha1('')", result: "da39a3ee5e6b4b0d3255bfef95601890afd80709" }],
  },
  md5: {
    summary: "The MD5 digest of a text in hexadecimal.",
    examples: [{ expression: "md5('')", result: "d41d8cd98f00b204e9800998ecf8427e" }],
  },
};
