// The least a proxy can do in Node: pass bytes, or parse the JSON and write it again.
import { Agent, createServer, request as send } from "node:http";

const [port, mode] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 512 });
const server = createServer((request, response) => {
  const { method, url: path, headers } = request;
  const { host: _, "content-length": length, ...rest } = headers;
  const forward = (body?: Buffer) => {
    const size = body === undefined ? length : String(body.length);
    const upstream = send(
      { host: "127.0.0.1", port, method, path, agent, headers: { ...rest, "content-length": size } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on("error", () => response.destroy());
    if (body === undefined) request.pipe(upstream);
    else upstream.end(body);
  };
  if (mode !== "parse") return forward();
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => forward(Buffer.from(JSON.stringify(JSON.parse(Buffer.concat(parts).toString())))));
});
server.listen(0, "127.0.0.1", () => console.log(`READY ${(server.address() as { port: number }).port}`));
