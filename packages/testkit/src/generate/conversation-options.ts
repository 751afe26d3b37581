/** What a generated conversation may contain. Everything is on by default; `valid` turns every malformed thing off. */
export interface ConversationOptions {
  /** Only conversations that the real providers accept, ending where the model is to answer. Default false. */
  readonly valid?: boolean;
  /** Rounds: the user speaks, the assistant works with tools, the assistant answers. Default 6. */
  readonly maxRounds?: number;
  /** Tool exchanges within one round. Default 4. */
  readonly maxExchanges?: number;
  /** Calls in one assistant message. Default 3. */
  readonly maxParallelCalls?: number;
  /** Longest ordinary text in characters. Default 4 000. */
  readonly maxChars?: number;
  /** Length in characters of the one giant message or system prompt. Default 40 000. */
  readonly giantChars?: number;
  readonly switches?: Partial<Switches>;
}

/** Things a conversation may contain that are legal but hard to handle. */
export interface HardSwitches {
  readonly systemPrompt: boolean;
  readonly laterSystem: boolean;
  readonly pinned: boolean;
  readonly reasoning: boolean;
  readonly images: boolean;
  readonly files: boolean;
  readonly hostedTools: boolean;
  readonly customTools: boolean;
  readonly errorResults: boolean;
  /** Tools named after what every JavaScript object inherits. */
  readonly inheritedNames: boolean;
  readonly consecutiveUsers: boolean;
  readonly unicode: boolean;
  readonly giantMessage: boolean;
  readonly giantSystem: boolean;
}

/** Things that a strict provider refuses. */
export interface MalformedSwitches {
  readonly missingResults: boolean;
  readonly duplicateResults: boolean;
  readonly orphanResults: boolean;
  readonly misplacedResults: boolean;
  readonly reusedIds: boolean;
  readonly emptyMessages: boolean;
  readonly unknownBlocks: boolean;
  readonly assistantFirst: boolean;
}

export type Switches = HardSwitches & MalformedSwitches;

/** Every malformed switch, in one word. */
export const malformed = (on: boolean): MalformedSwitches => ({
  missingResults: on,
  duplicateResults: on,
  orphanResults: on,
  misplacedResults: on,
  reusedIds: on,
  emptyMessages: on,
  unknownBlocks: on,
  assistantFirst: on,
});

const hard: HardSwitches = {
  systemPrompt: true,
  laterSystem: true,
  pinned: true,
  reasoning: true,
  images: true,
  files: true,
  hostedTools: true,
  customTools: true,
  errorResults: true,
  inheritedNames: true,
  consecutiveUsers: true,
  unicode: true,
  giantMessage: true,
  giantSystem: true,
};

export interface ResolvedOptions extends Required<Omit<ConversationOptions, "switches">> {
  readonly switches: Switches;
}

export function resolveOptions(options: ConversationOptions): ResolvedOptions {
  const valid = options.valid ?? false;
  return {
    valid,
    maxRounds: options.maxRounds ?? 6,
    maxExchanges: options.maxExchanges ?? 4,
    maxParallelCalls: options.maxParallelCalls ?? 3,
    maxChars: options.maxChars ?? 4_000,
    giantChars: options.giantChars ?? 40_000,
    switches: { ...hard, ...malformed(!valid), ...options.switches, ...(valid ? malformed(false) : {}) },
  };
}
