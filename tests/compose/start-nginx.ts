import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Nginx {
  readonly version: string;
  readonly output: () => string;
  stop(): Promise<void>;
}

const shipped = fileURLToPath(new URL("../../deploy/nginx.conf", import.meta.url));

/**
 * The shipped configuration on the machine's nginx, or on Debian's package unpacked into the folder. Undefined where
 * there is neither.
 */
export async function startNginx(
  folder: string,
  port: number,
  replicas: readonly number[],
): Promise<Nginx | undefined> {
  const binary = findNginx(folder);
  if (binary === undefined) return undefined;
  mkdirSync(join(folder, "nginx"), { recursive: true });
  const file = join(folder, "nginx/nginx.conf");
  writeFileSync(file, adapted(readFileSync(shipped, "utf8"), join(folder, "nginx"), port, replicas));
  const child = spawn(
    binary,
    ["-c", file, "-p", join(folder, "nginx"), "-e", "stderr", "-g", "daemon off; user root;"],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const exited = once(child, "exit");
  return {
    version: spawnSync(binary, ["-v"], { encoding: "utf8" }).stderr.trim().replace("nginx version: ", ""),
    output: () => output,
    stop: async () => {
      child.kill("SIGQUIT");
      await exited;
    },
  };
}

function findNginx(folder: string): string | undefined {
  if (spawnSync("nginx", ["-v"]).status === 0) return "nginx";
  const download = spawnSync("apt-get", ["download", "nginx"], { cwd: folder, encoding: "utf8" });
  const archive = download.status === 0 ? readdirSync(folder).find((name) => name.endsWith(".deb")) : undefined;
  if (archive === undefined || spawnSync("dpkg", ["-x", archive, "debian"], { cwd: folder }).status !== 0)
    return undefined;
  const binary = join(folder, "debian/usr/sbin/nginx");
  return spawnSync(binary, ["-v"]).status === 0 ? binary : undefined;
}

/** Only what belongs to Docker is replaced: its name server, the name that stands for the replicas, port and folders. */
function adapted(config: string, folder: string, port: number, replicas: readonly number[]): string {
  const replace = (text: string, from: RegExp, to: string) => {
    if (!from.test(text))
      throw new Error(`deploy/nginx.conf no longer has ${from}: tests/compose/start-nginx.ts must follow.`);
    return text.replace(from, to);
  };
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(" ");
  const servers = (rest: string) => replicas.map((replica) => `server 127.0.0.1:${replica}${rest};`).join("\n    ");
  const rest = /server midfold:4141 resolve([^;]*);/.exec(config)?.[1] ?? "";
  let text = replace(config, /resolver 127\.0\.0\.11[^;]*;/, `access_log off; ${folders}`);
  text = replace(text, /server midfold:4141 resolve[^;]*;/, servers(rest));
  text = replace(text, /listen 8080;/, `listen 127.0.0.1:${port};`);
  return `pid ${join(folder, "nginx.pid")};\n${text}`;
}
