/** The room that the series of some metrics share, in characters of the metrics page. */
export class SeriesRoom {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  /** Takes the characters of a series; false when there is no room for it. */
  take(characters: number): boolean {
    if (characters > this.#left) return false;
    this.#left -= characters;
    return true;
  }

  /** Frees the characters of a series that was deleted. */
  giveBack(characters: number): void {
    this.#left += characters;
  }
}
