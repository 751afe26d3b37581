import { expect, it } from "vitest";
import { importMessages } from "./call-api.ts";
import { expectAccessible } from "./expect-page.ts";
import { useSite } from "./open-site.ts";
import { pixel } from "./talk.ts";

const site = useSite();

it("a picture from elsewhere says where it would come from, and is loaded in place by a click", async () => {
  const id = await importMessages(site.url, "Pictures", [
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: "https://photos.example/cat.png" } },
      ],
    },
    {
      role: "assistant",
      content: "![A chart](https://charts.example/a.png) and ![gone](https://charts.example/b.png)",
    },
    { role: "user", content: "And?" },
    { role: "assistant", content: "![plain](http://insecure.example/c.png)" },
  ]);
  const page = await site.open(`/s/${id}`);
  const asked: (string | undefined)[] = [];
  await page.route(/^https:\/\/\w+\.example\//, async (route) => {
    asked.push(`${route.request().url()} ${route.request().headers().referer ?? "no referrer"}`);
    if (route.request().url().endsWith("b.png")) await route.abort();
    else await route.fulfill({ contentType: "image/png", body: Buffer.from(pixel, "base64") });
  });
  await page.getByRole("button", { name: "Load image from charts.example · A chart" }).waitFor();
  await page.getByText("[image: plain]").waitFor();
  await expectAccessible(page);
  await page.waitForTimeout(300);
  expect(asked).toEqual([]);
  expect(site.complaints).toEqual([]);

  await page.getByRole("button", { name: "Load image from charts.example · A chart" }).click();
  const chart = page.getByRole("img", { name: "A chart" });
  await chart.waitFor();
  await expect.poll(() => chart.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await page.getByRole("button", { name: "Load image from photos.example" }).click();
  await page.getByRole("img", { name: "From photos.example" }).waitFor();
  await page.getByRole("button", { name: "Load image from charts.example · gone" }).click();
  await page.getByRole("button", { name: /^charts\.example did not give the image\. Try again/ }).waitFor();
  await expectAccessible(page);
  expect(asked).toEqual([
    "https://charts.example/a.png no referrer",
    "https://photos.example/cat.png no referrer",
    "https://charts.example/b.png no referrer",
  ]);
  expect(page.context().pages()).toHaveLength(1);
  await page.close();
});
