import { answers, type Runtime, startServing } from "./running_bundle.ts";

/** `deno serve`: settings are environment variables. */
export const denoRuntime: Runtime = {
  target: "deno",
  isHere: () => answers(Deno.execPath(), "--version"),
  serve: ({ file, settings, hosts = [] }) =>
    startServing({
      command: Deno.execPath(),
      args: [
        "serve",
        "--allow-env",
        `--allow-net=${["127.0.0.1", ...hosts].join(",")}`,
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        file,
      ],
      env: settings,
      listens: /http:\/\/127\.0\.0\.1:(\d+)/,
    }),
};
