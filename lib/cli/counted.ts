/** A number with its noun: `1 policy`, `3 policies`. The plural has an `s` when none is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
