import { describe, expect, it } from "vitest";
import { operations } from "./operations.ts";
import { writeOpenapi } from "./write-openapi.ts";

interface Document {
  readonly paths: Record<string, Record<string, { readonly operationId: string; readonly responses: object }>>;
  readonly components: { readonly schemas: Record<string, { readonly properties?: object }> };
}

const document = writeOpenapi({ version: "0.0.0" }) as unknown as Document;

describe("writeOpenapi", () => {
  it("describes every operation exactly once", () => {
    const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((entry) => entry.operationId));
    expect(ids.toSorted()).toEqual(Object.keys(operations).toSorted());
  });

  it("resolves every reference inside the document", () => {
    const text = JSON.stringify(document);
    const names = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      expect(name).toMatch(/^#\/components\/schemas\/\w+$/);
      expect(document.components.schemas).toHaveProperty([name.split("/").at(-1) ?? ""]);
    }
  });

  it("keeps the names of fields called id", () => {
    expect(document.components.schemas.Session?.properties).toHaveProperty("id");
  });

  it("answers problems as RFC 9457", () => {
    for (const path of Object.values(document.paths)) {
      for (const entry of Object.values(path)) expect(JSON.stringify(entry.responses)).toContain("problem+json");
    }
  });
});
