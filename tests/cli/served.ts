/** A server that a test started. */
export interface Served extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` or `https://…`, without a slash at the end. */
  readonly address: string;
  readonly process: Deno.ChildProcess;
  /** Waits until standard error matches the pattern, and returns all of its text. */
  until(pattern: RegExp): Promise<string>;
}

/** Starts `deno …` as a server and waits until it says where it listens. */
export async function served(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly cwd?: string } = {},
): Promise<Served> {
  const process = new Deno.Command("deno", {
    args: [...args],
    ...options,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  let heard = Promise.withResolvers<void>();
  let ended = false;
  const reading = (async () => {
    for await (const text of process.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      heard.resolve();
      heard = Promise.withResolvers();
    }
    ended = true;
    heard.resolve();
  })();
  const until = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(said)) {
      if (ended) throw new Error(`the server ended: ${said}`);
      await heard.promise;
    }
    return said;
  };
  const close = async (): Promise<void> => {
    try {
      process.kill("SIGTERM");
    } catch { /* it ended by itself */ }
    await process.status;
    await reading;
  };
  try {
    const listening = /listen(?:ing|s) on (https?:\/\/[^\s/]+)/i;
    const address = listening.exec(await until(listening))![1]!;
    return { address, process, until, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
