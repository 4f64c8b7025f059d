let planned = 0;

/** How many conditions were compiled since the process started; it stands still while conditions are evaluated. */
export function conditionCompilations(): number {
  return planned;
}

/** Notes that a condition was compiled. */
export function countCondition(): void {
  planned++;
}
