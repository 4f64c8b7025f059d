/** Light or dark, as the system says or as people choose. */
import { effect, signal } from "@preact/signals";

/** The chosen colour scheme. */
export type Appearance = "system" | "light" | "dark";

const key = "postern-appearance";

export const appearance = signal<Appearance>(stored());

effect(() => {
  document.documentElement.dataset["appearance"] = appearance.value;
  try {
    localStorage.setItem(key, appearance.value);
  } catch {
    // Without storage the choice holds until the page is closed.
  }
});

function stored(): Appearance {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}
