/** Functions that tests run in the page: their text is sent there, so each stands alone. */

/** Goes to an example; the page says `done` again when its result is shown. */
export function goToExample(id: string): void {
  document.documentElement.dataset["state"] = "running";
  location.hash = `e=${id}`;
}

/** Keeps texts for the next visit, as the page does. */
export function keepTexts(texts: Readonly<Record<string, string>>): void {
  localStorage.setItem("postern-playground", JSON.stringify(texts));
  history.replaceState(null, "", location.pathname);
}

/** Whether the page keeps this text for the next visit. */
export function isKept({ name, text }: { readonly name: string; readonly text: string }): boolean {
  return JSON.parse(localStorage.getItem("postern-playground") ?? "{}")[name] === text;
}

/** Milliseconds of the longest pause between two of the next 60 frames. */
export function longestPause(): Promise<number> {
  return new Promise((resolve) => {
    let last = performance.now(), longest = 0, frames = 0;
    const step = (): void => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (++frames === 60) resolve(longest);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

/** Resolves when the service worker answers for the page. */
export async function workerReady(): Promise<void> {
  await navigator.serviceWorker.ready;
  while (navigator.serviceWorker.controller === null) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Describes the focused element in words. */
export function focused(): string {
  const active = document.activeElement;
  return active?.getAttribute("aria-label") ?? active?.textContent?.trim().slice(0, 30) ?? "";
}
