/**
 * The text of the `Date` header (RFC 9110, section 6.6.1), which changes once a second. To write it takes 20
 * microseconds when requests come 4 ms apart, and one microsecond when they follow each other: see "Few requests" in
 * docs/listener.md.
 */
export class DateHeader {
  readonly #now: () => number;
  #second = NaN;
  #text = "";

  /** `now` is the clock, in milliseconds since 1970. */
  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  /** The date of now. */
  text(): string {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toUTCString();
    }
    return this.#text;
  }
}
