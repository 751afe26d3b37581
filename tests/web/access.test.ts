import { expect, it } from "vitest";
import { expectAccessible } from "./expect-page.ts";
import { measureLoad } from "./measure-load.ts";
import { useSite } from "./open-site.ts";

const site = useSite("server: { keys: required }");

it("asks for a key where the server wants one, keeps it in this tab, and works with it", async () => {
  const { secret } = await site.store.of("someone").keys.create({ name: "browser" });
  const page = await site.open("/");
  const dialog = page.getByRole("dialog", { name: "This server asks for a key" });
  await dialog.waitFor();
  await expectAccessible(page);
  await dialog.getByLabel(/^Key/).fill(secret);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("No conversations yet.").waitFor();
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Only for me");
  await page.keyboard.press("Enter");
  await page.getByText("You said: “Only for me").waitFor();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(secret);

  const stranger = await site.open(new URL(page.url()).pathname);
  await stranger.getByRole("dialog", { name: "This server asks for a key" }).waitFor();
  expect(await stranger.getByText("Only for me").count()).toBe(0);
});

it("every page is sent with a policy that allows nothing from elsewhere but pictures, and no inline script", async () => {
  const { headers } = await fetch(`${site.url}/console`);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'self'");
  expect(policy.replace("img-src 'self' data: blob: https:", "")).not.toMatch(/unsafe|https?:|\*/);
});

it("the app's files come packed to whoever can unpack them", async () => {
  const page = await (await fetch(`${site.url}/`)).text();
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? "";
  const sizeFor = async (encoding: string) => {
    const response = await fetch(`${site.url}${script}`, { headers: { "accept-encoding": encoding } });
    return { encoding: response.headers.get("content-encoding"), size: Number(response.headers.get("content-length")) };
  };
  const plain = await sizeFor("identity");
  const packed = await sizeFor("br, gzip");
  expect(plain.encoding).toBeNull();
  expect(packed.encoding).toBe("gzip");
  expect(packed.size).toBeLessThan(plain.size / 2);
});

it("the first page loads less than 200 kB before it can be used", async () => {
  const { firstKb, page } = await measureLoad(site, "/", ["h2"]);
  expect(firstKb).toBeGreaterThan(50);
  expect(firstKb).toBeLessThan(200);
  await page.close();
});
