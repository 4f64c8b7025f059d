/**
 * The floor of a cold start: the smallest program that answers a request in TLS with `node:tls`, as Postern's listener does.
 * It gathers randomness on another thread meanwhile, as `serve` does.
 *
 *     deno run … tests/bench/start_floor.js PORT CERTIFICATES
 */
import process from "node:process";

void crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
const [port, folder] = Deno.args;
const pem = (name) => Deno.readTextFileSync(`${folder}/${name}`);
const answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
process.getBuiltinModule("node:tls").createServer({ cert: pem("tls.crt"), key: pem("tls.key") }, (socket) => {
  socket.once("data", () => socket.write(answer));
}).listen({ host: "127.0.0.1", port: Number(port) });
