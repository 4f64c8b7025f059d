/** Serves a folder of files on this machine, to look at the site and to test it. */
import { extname, join, normalize } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
};

/** A server, until it is shut down. */
export interface FolderServer {
  readonly url: string;
  shutdown(): Promise<void>;
}

/** Serves the files of a folder on 127.0.0.1; port 0 is any that is free. A folder is its `index.html`. */
export function serveFolder(folder: string, port: number): FolderServer {
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, async ({ url }) => {
    const path = normalize(decodeURIComponent(new URL(url).pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    try {
      const { readable } = await Deno.open(file);
      return new Response(readable, {
        headers: { "content-type": types[extname(file)] ?? "application/octet-stream" },
      });
    } catch {
      return new Response("not found", { status: 404 });
    }
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, shutdown: () => server.shutdown() };
}
