/** The bounds of a slice `[start:stop:step]`; a negative one counts from the end. */
export interface SliceBounds {
  readonly start: number | undefined;
  readonly stop: number | undefined;
  readonly step: number | undefined;
}

/** Returns the elements of a slice, whose step is not 0. */
export function sliced<T>(items: readonly T[], { start, stop, step = 1 }: SliceBounds): T[] {
  const { length } = items, isBackward = step < 0;
  const within = (index: number): number =>
    index < 0
      ? Math.max(index + length, isBackward ? -1 : 0)
      : Math.min(index, isBackward ? length - 1 : length);
  const first = start === undefined ? (isBackward ? length - 1 : 0) : within(start);
  const end = stop === undefined ? (isBackward ? -1 : length) : within(stop);
  const taken: T[] = [];
  for (let index = first; isBackward ? index > end : index < end; index += step) taken.push(items[index]!);
  return taken;
}
