/** The most bytes of a file with certificates or a key; a chain has a few thousand. */
const mostBytes = 256 * 1024;

/**
 * Reads a file with certificates or a key. It throws when the file is longer than 256 KiB or no regular file: a pipe
 * would never end, and a long file would hold the event loop while it is parsed.
 */
export async function readPemFile(path: string): Promise<string> {
  const { isFile, isDirectory, size } = await Deno.stat(path);
  if (!isFile) throw new Error(isDirectory ? "it is a folder" : "it is no regular file");
  if (size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
  return await Deno.readTextFile(path);
}
