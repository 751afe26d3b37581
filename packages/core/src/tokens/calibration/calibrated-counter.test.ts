import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../message/message.ts";
import { getCounter } from "../get-counter.ts";
import { CalibratedCounter } from "./calibrated-counter.ts";
import type { Calibration } from "./calibration.ts";
import { Calibrations } from "./calibrations.ts";

const say = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const claude = getCounter("claude-sonnet-4-5");

describe("CalibratedCounter", () => {
  it("counts as its inner counter before it has learnt anything", () => {
    const counter = new CalibratedCounter(claude);
    expect(counter.countMessages([say("Hello there"), say("you")])).toBe(
      claude.countMessages([say("Hello there"), say("you")]),
    );
    expect(counter.name).toBe(claude.name);
    expect(counter.errorBound).toBeCloseTo(0.1);
  });

  it("comes to agree with a provider that counts a fifth more", () => {
    const counter = new CalibratedCounter(claude);
    for (let request = 1; request <= 30; request++) counter.observeTotal(request * 500, request * 600);
    expect(counter.ratio).toBe(1.2);
    expect(counter.count("word ".repeat(1000)) / claude.count("word ".repeat(1000))).toBeCloseTo(1.2, 2);
    expect(counter.errorBound).toBeLessThan(0.02);
    expect(counter.name).toBe("claude-4.5*1.20");
  });

  it("keeps a wide margin while the provider's answers vary", () => {
    const counter = new CalibratedCounter(claude);
    for (let request = 0; request < 40; request++) counter.observeTotal(1000, request % 2 === 0 ? 1000 : 1300);
    expect(counter.ratio).toBeGreaterThan(1.05);
    expect(counter.ratio).toBeLessThan(1.25);
    expect(counter.errorBound).toBeGreaterThan(0.3);
  });

  it("ignores small requests and nonsense, and never leaves its bounds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ counted: fc.double({ noNaN: false }), billed: fc.double({ noNaN: false }) })),
        (samples) => {
          const counter = new CalibratedCounter(claude);
          for (const { counted, billed } of samples) counter.observeTotal(counted, billed);
          expect(counter.ratio).toBeGreaterThanOrEqual(0.5);
          expect(counter.ratio).toBeLessThanOrEqual(2);
          expect(counter.errorBound).toBeGreaterThanOrEqual(0);
          expect(counter.errorBound).toBeLessThanOrEqual(0.5);
        },
      ),
    );
    const counter = new CalibratedCounter(claude);
    counter.observeTotal(20, 60);
    counter.observeTotal(1000, 90_000);
    expect(counter.calibration.samples).toBe(0);
    for (let request = 0; request < 50; request++) counter.observeTotal(1000, 4000);
    expect(counter.ratio).toBe(2);
  });

  it("keeps what the interface promises", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 60 }), { maxLength: 8 }),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.nat(30),
        (texts, ratio, maxTokens) => {
          const counter = new CalibratedCounter(claude, { calibration: { ratio, error: 0, samples: 5 } });
          const messages = texts.map(say);
          const sum = messages.reduce((total, message) => total + counter.countMessage(message), 0);
          expect(counter.countMessages(messages)).toBeGreaterThanOrEqual(sum);
          const text = texts.join(" ");
          expect(counter.count(counter.take(text, maxTokens))).toBeLessThanOrEqual(maxTokens);
          expect(counter.count(counter.takeLast(text, maxTokens))).toBeLessThanOrEqual(maxTokens);
        },
      ),
    );
  });
});

describe("Calibrations", () => {
  it("carries what was learnt over a restart", async () => {
    const saved = new Map<string, Calibration>();
    const store = {
      load: (model: string) => Promise.resolve(saved.get(model)),
      save: (model: string, calibration: Calibration) => Promise.resolve(void saved.set(model, calibration)),
    };
    const before = new Calibrations({ store });
    for (let request = 0; request < 20; request++) await before.observe("gemini-2.5-pro", 1000, 1150);
    const after = await new Calibrations({ store }).counterFor("gemini-2.5-pro");
    expect(after.ratio).toBe(1.15);
    expect((await new Calibrations({ store }).counterFor("gemini-1.5-pro")).ratio).toBe(1);
  });

  it("counts on when the store fails", async () => {
    const errors: unknown[] = [];
    const fail = () => Promise.reject(new Error("no disk"));
    const calibrations = new Calibrations({
      store: { load: fail, save: fail },
      onError: (error) => errors.push(error),
    });
    await calibrations.observe("claude-opus-4-5", 1000, 1100);
    expect((await calibrations.counterFor("claude-opus-4-5")).ratio).toBe(1.1);
    expect(errors).toHaveLength(2);
  });
});
