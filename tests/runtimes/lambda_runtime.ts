import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { answers, type Runtime, startServing } from "./running_bundle.ts";

/**
 * Imitates AWS Lambda on Node.js: a function URL's request becomes an event in the payload format 2.0, the handler's
 * result an answer.
 */
export const lambdaRuntime: Runtime = {
  target: "lambda",
  isHere: () => answers("node", "--version"),
  async serve({ file, folder, settings }) {
    const program = join(folder, "lambda.mjs");
    await Deno.writeTextFile(program, functionUrl(pathToFileURL(file).href));
    return await startServing({
      command: "node",
      args: [program],
      env: settings,
      listens: /listening on http:\/\/127\.0\.0\.1:(\d+)/,
    });
  },
};

const functionUrl = (bundle: string): string => `
import { createServer } from "node:http";
import { handler } from ${JSON.stringify(bundle)};
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const [path, query = ""] = request.url.split("?");
  const result = await handler({
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    headers: request.headers,
    requestContext: {
      accountId: "anonymous",
      domainName: request.headers.host,
      http: { method: request.method, path, protocol: "HTTP/1.1", sourceIp: "127.0.0.1" },
      requestId: "1",
      stage: "$default",
    },
    ...(body.length > 0 && { body: body.toString("base64") }),
    isBase64Encoded: body.length > 0,
  }, { awsRequestId: "1", getRemainingTimeInMillis: () => 3000 });
  response.writeHead(result.statusCode, result.headers);
  response.end(result.isBase64Encoded ? Buffer.from(result.body, "base64") : result.body);
});
server.listen(0, "127.0.0.1", () => console.log("listening on http://127.0.0.1:" + server.address().port));
`;
