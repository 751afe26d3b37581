import type { Message } from "../message/message.ts";
import { ChatCounter } from "./chat-counter.ts";
import type { BytePairEncoding } from "./encoding/byte-pair-encoding.ts";
import { getEncoding } from "./encoding/get-encoding.ts";
import type { ChatRule } from "./families/family.ts";
import type { ImageRule } from "./image-tokens.ts";
import type { PreparableCounter } from "./pool/prepare-counts.ts";
import type { CountRule } from "./pool/text-counts.ts";

export interface TableCounterOptions {
  readonly rule: CountRule;
  readonly chat: ChatRule;
  readonly image: ImageRule;
}

/** A counter that needs an encoding's table, which is built with the first text, and whose long texts can go elsewhere. */
export abstract class TableCounter extends ChatCounter implements PreparableCounter {
  readonly rule: CountRule;
  #encoding: BytePairEncoding | undefined;

  constructor({ rule, chat, image }: TableCounterOptions) {
    super({ chat, image });
    this.rule = rule;
  }

  uncounted(messages: readonly Message[], minLength: number): string[] {
    return this.weights.uncounted(messages, minLength);
  }

  remember(text: string, tokens: number, provisional: boolean): void {
    this.weights.remember(text, tokens, provisional);
  }

  protected table(): BytePairEncoding {
    this.#encoding ??= getEncoding(this.rule.encoding);
    return this.#encoding;
  }
}
