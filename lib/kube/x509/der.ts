/** The universal tags of ASN.1 in DER; {@link context} returns context-specific tags. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The context-specific tag of an element, primitive or constructed. */
export function context(number: number, form: "primitive" | "constructed" = "primitive"): number {
  return (form === "constructed" ? 0xa0 : 0x80) | number;
}

/** The first problem, shared by a reader and all readers inside its value. */
interface FirstProblem {
  problem: string | undefined;
}

/**
 * Reads DER in order. After the first unexpected byte every read returns an empty value, and {@link Der.problem}
 * describes the error. Callers therefore read on and check for a problem once at the end.
 */
export class Der {
  readonly #bytes: Uint8Array;
  readonly #first: FirstProblem;
  #at = 0;

  constructor(bytes: Uint8Array, first: FirstProblem = { problem: undefined }) {
    this.#bytes = bytes;
    this.#first = first;
  }

  /** The first problem; `undefined` when there is none. */
  get problem(): string | undefined {
    return this.#first.problem;
  }

  /** All bytes of this reader. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Whether the reader is at the end. */
  get done(): boolean {
    return this.#at >= this.#bytes.length || this.#first.problem !== undefined;
  }

  /** The next element's tag; 0 at the end. */
  get next(): number {
    return this.done ? 0 : this.#bytes[this.#at]!;
  }

  /** Records a problem, unless there is one already. */
  fail(problem: string): void {
    this.#first.problem ??= problem;
  }

  /** Returns a reader of the next element's content. The element must have the tag. */
  read(tag: number): Der {
    return new Der(this.content(tag), this.#first);
  }

  /** Returns a reader of the next element's content if the element has the tag. */
  readIf(tag: number): Der | undefined {
    return this.next === tag ? this.read(tag) : undefined;
  }

  /** Reads the next element's content. The element must have the tag. */
  content(tag: number): Uint8Array {
    const { header, end } = this.#extent();
    if (this.next !== tag || header === end && end === this.#at) this.fail(`expected tag ${tag}`);
    if (this.problem !== undefined) return new Uint8Array();
    this.#at = end;
    return this.#bytes.subarray(header, end);
  }

  /** Reads the whole next element, with its tag and length. The element must have the tag. */
  whole(tag: number): Uint8Array {
    const start = this.#at;
    this.content(tag);
    return this.#bytes.subarray(start, this.#at);
  }

  /** Reads the values of a repeated element up to the end. */
  each<T>(read: (der: Der) => T): T[] {
    const values: T[] = [];
    while (!this.done) values.push(read(this));
    return values;
  }

  /** Reads an INTEGER of any size. */
  integer(): bigint {
    return bigEndian(this.content(tags.integer));
  }

  /** Reads a BOOLEAN. */
  boolean(): boolean {
    return this.content(tags.boolean)[0] === 0xff;
  }

  /** Reads the numbers of an OBJECT IDENTIFIER. */
  objectIdentifier(): readonly number[] {
    return identifierNumbers(this.content(tags.objectIdentifier));
  }

  /** Reads the bytes of a BIT STRING and the number of unused bits at its end. */
  bitString(): { readonly bytes: Uint8Array; readonly unused: number } {
    const content = this.content(tags.bitString);
    const unused = content[0] ?? 0;
    if (content.length === 0 || unused > 7) this.fail("invalid bit string");
    return { bytes: content.subarray(1), unused };
  }

  /** The offsets at which the next element's content begins and ends. */
  #extent(): { readonly header: number; readonly end: number } {
    const nothing = { header: this.#at, end: this.#at };
    if (this.done || this.#at + 2 > this.#bytes.length || (this.next & 0x1f) === 0x1f) {
      this.fail("unexpected end");
      return nothing;
    }
    const first = this.#bytes[this.#at + 1]!;
    let header = this.#at + 2, length = first;
    if (first >= 0x80) {
      const count = first & 0x7f;
      if (count === 0 || count > 4) {
        this.fail("invalid length");
        return nothing;
      }
      length = Number(bigUnsigned(this.#bytes.subarray(header, header + count)));
      header += count;
    }
    const end = header + length;
    if (end > this.#bytes.length) {
      this.fail("unexpected end");
      return nothing;
    }
    return { header, end };
  }
}

function bigUnsigned(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = value << 8n | BigInt(byte);
  return value;
}

function bigEndian(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`));
}

function identifierNumbers(bytes: Uint8Array): readonly number[] {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (numbers.length > 0) numbers.push(value);
    else numbers.push(Math.min(2, Math.floor(value / 40)), value - 40 * Math.min(2, Math.floor(value / 40)));
    value = 0;
  }
  return numbers;
}
