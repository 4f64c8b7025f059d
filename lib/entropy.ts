import type { Entropy } from "./ports.ts";

/** Randomness from the system's cryptographic source, 32 bits a number: enough for names, jitter and UIDs. */
export function systemEntropy(): Entropy {
  const word = new Uint32Array(1);
  return { next: () => crypto.getRandomValues(word)[0]! / 2 ** 32 };
}

/** A random UUID (version 4, RFC 9562) from the port, so that tests can fix it. */
export function uuidFrom(entropy: Entropy): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(entropy.next() * 16));
  hex[12] = 4;
  hex[16] = 8 + (hex[16]! & 3);
  const text = hex.map((digit) => digit.toString(16)).join("");
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map(([from, to]) => text.slice(from, to)).join("-");
}

/** The letters and digits of generated names in Kubernetes: no vowels and no look-alikes. */
const nameLetters = "bcdfghjklmnpqrstvwxz2456789";

/** The five letters that the API server appends to `metadata.generateName`. */
export function nameSuffix(entropy: Entropy): string {
  return Array.from({ length: 5 }, () => nameLetters[Math.floor(entropy.next() * nameLetters.length)]).join(
    "",
  );
}
