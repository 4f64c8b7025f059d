/** Files that people save. */
import type { Files } from "../worker/test_folder.ts";

/** Has the browser save files as a ZIP archive with one folder. */
export async function downloadFolder(folder: string, files: Files): Promise<void> {
  const { strToU8, zipSync } = await import("fflate");
  const entries = Object.entries(files).map(([name, text]) => [`${folder}/${name}`, strToU8(text)]);
  const bytes = zipSync(Object.fromEntries(entries), { mtime: new Date("2000-01-01T00:00:00Z") });
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/zip" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${folder}.zip`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
