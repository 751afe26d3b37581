/** A request body that tries something, and where it goes. */
export interface HostileBody {
  readonly name: string;
  /** `{session}` stands for a session of the sender. */
  readonly path: string;
  readonly contentType?: string;
  /** Sent packed. */
  readonly gzip?: true;
  /** Made when it is needed: some have thirty megabytes. */
  readonly write: () => string;
}

const say = (content: unknown) => ({ role: "user", content });
const chat = "/v1/chat/completions";
const repeat = <TValue>(count: number, make: (index: number) => TValue): TValue[] =>
  Array.from({ length: count }, (_, i) => make(i));
const body = (name: string, path: string, value: () => unknown): HostileBody => ({
  name,
  path,
  write: () => JSON.stringify(value()),
});
const withTool = (result: string) => ({
  model: "midfold-demo",
  messages: [
    say("go"),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "run", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: result },
    say("end"),
  ],
});

const names = [
  "日本",
  "a\u0000b",
  "a\r\nset-cookie: x=1",
  "é",
  "\ud800",
  "x".repeat(20_000),
  "__proto__",
  "constructor",
  "",
];
const values: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  "",
  "x",
  [],
  {},
  true,
  [[[]]],
  { a: { b: {} } },
  "\ud800",
  "\u0000",
];

/** Small bodies that have no business in a request. Each must be answered, by an error or not. */
export const hostileBodies: readonly HostileBody[] = [
  ...["/v1/messages", chat, "/v1/responses"].flatMap((path) => [
    ...names.map((name, i) =>
      body(`field name ${i} at ${path}`, path, () => ({
        model: "m",
        max_tokens: 9,
        messages: [say("hi")],
        input: "hi",
        [name]: 1,
      })),
    ),
    ...values.flatMap((value, i) => [
      body(`messages ${i} at ${path}`, path, () => ({ model: "m", max_tokens: 9, messages: value, input: value })),
      body(`message ${i} at ${path}`, path, () => ({ model: "m", max_tokens: 9, messages: [value], input: [value] })),
      body(`content ${i} at ${path}`, path, () => ({
        model: "m",
        max_tokens: 9,
        messages: [say(value)],
        input: [say(value)],
      })),
      body(`model ${i} at ${path}`, path, () => ({ model: value, max_tokens: 9, messages: [say("hi")], input: "hi" })),
      body(`tools ${i} at ${path}`, path, () => ({
        model: "m",
        max_tokens: 9,
        messages: [say("hi")],
        input: "hi",
        tools: value,
      })),
      body(`tool ${i} at ${path}`, path, () => ({
        model: "m",
        max_tokens: 9,
        messages: [say("hi")],
        input: "hi",
        tools: [value],
      })),
      body(`max tokens ${i} at ${path}`, path, () => ({
        model: "m",
        max_tokens: value,
        messages: [say("hi")],
        input: "hi",
      })),
    ]),
    { name: `deep nesting at ${path}`, path, write: () => `{"model":"m","messages":${"[".repeat(100_000)}` },
    { name: `repeated keys at ${path}`, path, write: () => `{"model":"a","model":"b","messages":[],"messages":[{}]}` },
    {
      name: `a number of a million digits at ${path}`,
      path,
      write: () => `{"model":"m","max_tokens":${"9".repeat(1_000_000)},"messages":[]}`,
    },
  ]),
];

const fox = "the quick brown fox jumps over the lazy dog ";

/** Bodies within the limits on bytes that are, or once were, long work. Others must be answered while they run. */
export const longBodies: readonly HostileBody[] = [
  body("200,000 parts in one message", "/v1/messages", () => ({
    model: "midfold-demo",
    max_tokens: 9,
    messages: [say(repeat(200_000, (i) => ({ type: "text", text: `word ${i}` })))],
  })),
  body("200,000 messages", chat, () => ({
    model: "midfold-demo",
    messages: [...repeat(200_000, (i) => ({ role: i % 2 ? "assistant" : "user", content: `m${i}` })), say("end")],
  })),
  body("500,000 messages", chat, () => ({
    model: "midfold-demo",
    messages: [...repeat(500_000, (i) => ({ role: i % 2 ? "assistant" : "user", content: `m${i}` })), say("end")],
  })),
  body("100,000 tools", chat, () => ({
    model: "midfold-demo",
    messages: [say("hi")],
    tools: repeat(100_000, (i) => ({
      type: "function",
      function: { name: `f${i}`, parameters: { type: "object", properties: {} } },
    })),
  })),
  {
    name: "30 MB of empty objects",
    path: chat,
    write: () =>
      `{"model":"midfold-demo","messages":[{"role":"user","content":"hi"}],"x":[${"{},".repeat(9_900_000)}{}]}`,
  },
  {
    name: "30 MB of escapes in one text",
    path: chat,
    write: () => `{"model":"midfold-demo","messages":[{"role":"user","content":"${'\\"'.repeat(15_000_000)}"}]}`,
  },
  {
    name: "30 MB of half characters",
    path: chat,
    write: () => `{"model":"midfold-demo","messages":[{"role":"user","content":"${"\\ud83d".repeat(5_000_000)}"}]}`,
  },
  body("30 MB tool result of error lines", chat, () => withTool(`error ${"a".repeat(80)}\n`.repeat(345_000))),
  body("30 MB tool result in one error line", chat, () => withTool(`error ${"a".repeat(30_000_000)}`)),
  body("29 MB in 3,000 messages", chat, () => ({
    model: "midfold-demo",
    messages: [
      ...repeat(3_000, (i) => ({
        role: i % 2 ? "assistant" : "user",
        content: `${i} ${"the quick brown fox jumps over the lazy dog ".repeat(220)}`,
      })),
      say("end"),
    ],
  })),
  body("28 MB in one message", chat, () => ({
    model: "midfold-demo",
    messages: [say("the quick brown fox jumps over the lazy dog ".repeat(650_000)), say("end")],
  })),
  body("compact 20 MB", "/v1/responses/compact", () => ({
    model: "midfold-demo",
    input: repeat(2_000, (i) => ({
      type: "message",
      role: i % 2 ? "assistant" : "user",
      content: [
        {
          type: i % 2 ? "output_text" : "input_text",
          text: `Line ${i}: ${"we must keep src/a.ts and fix the error in line 42. ".repeat(190)}`,
        },
      ],
    })),
  })),
  body("count 28 MB", "/v1/messages/count_tokens", () => ({
    model: "midfold-demo",
    messages: [say("the quick brown fox jumps over the lazy dog ".repeat(650_000))],
  })),
  body("playground, 10 MB six times", "/api/playground", () => ({
    transcript: JSON.stringify(
      repeat(1_000, (i) => ({
        role: i % 2 ? "assistant" : "user",
        content: `${i} ${"the quick brown fox jumps over the lazy dog ".repeat(220)}`,
      })),
    ),
    model: "gpt-4o",
    window: 8_192,
    runs: ["proxy", "chat", "agent", "sandwich", "compact", "proxy"].map((preset) => ({ preset })),
  })),
  {
    ...body("28 MB in one message, packed", chat, () => ({
      model: "midfold-demo",
      messages: [say(fox.repeat(650_000))],
    })),
    gzip: true,
  },
  body("28 MB in 19,000 messages", chat, () => ({
    model: "midfold-demo",
    messages: [
      ...repeat(19_000, (i) => ({ role: i % 2 ? "assistant" : "user", content: `${i} ${fox.repeat(32)}` })),
      say("end"),
    ],
  })),
  body("28 MB in 40,000 parts of one message", "/v1/messages", () => ({
    model: "midfold-demo",
    max_tokens: 9,
    messages: [say(repeat(40_000, (i) => ({ type: "text", text: `${i} ${fox.repeat(15)}` })))],
  })),
  body("490,000 values in one tool", chat, () => ({
    model: "midfold-demo",
    messages: [say("hi")],
    tools: [{ type: "function", function: { name: "f", parameters: { enum: repeat(490_000, (i) => `v${i}`) } } }],
  })),
  body("480,000 values in one message", chat, () => ({
    model: "midfold-demo",
    messages: [{ ...say("hi"), more: repeat(480_000, (i) => i) }],
  })),
  body("29 MB of Japanese", chat, () => ({
    model: "midfold-demo",
    messages: [say("吾輩は猫である。".repeat(1_200_000))],
  })),
  body("28 MB of line ends", chat, () => ({
    model: "midfold-demo",
    messages: [say("a\n".repeat(9_500_000)), say("end")],
  })),
  body("28 MB picture", chat, () => ({
    model: "midfold-demo",
    messages: [say([{ type: "image_url", image_url: { url: `data:image/png;base64,${"QUJD".repeat(7_000_000)}` } }])],
  })),
  body("28 MB system prompt", "/v1/messages", () => ({
    model: "midfold-demo",
    max_tokens: 9,
    system: fox.repeat(650_000),
    messages: [say("hi")],
  })),
  body("28 MB input text", "/v1/responses", () => ({ model: "midfold-demo", input: fox.repeat(650_000) })),
  body("28 MB description of a tool", chat, () => ({
    model: "midfold-demo",
    messages: [say("hi")],
    tools: [{ type: "function", function: { name: "f", description: fox.repeat(650_000), parameters: {} } }],
  })),
  body("28 MB of arguments of a tool", chat, () => ({
    model: "midfold-demo",
    messages: [
      say("hi"),
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c", type: "function", function: { name: "f", arguments: JSON.stringify({ a: fox.repeat(640_000) }) } },
        ],
      },
      { role: "tool", tool_call_id: "c", content: "ok" },
      say("end"),
    ],
  })),
  {
    name: "28 MB that are no JSON at the end",
    path: chat,
    write: () => `{"model":"midfold-demo","messages":[{"role":"user","content":"${fox.repeat(650_000)}"}],}`,
  },
  {
    name: "30 MB of empty objects to another endpoint",
    path: "/v1/embeddings",
    write: () => `{"x":[${"{},".repeat(9_900_000)}{}]}`,
  },
  {
    name: "a form of a megabyte of headers",
    path: "/v1/audio/transcriptions",
    contentType: "multipart/form-data; boundary=x",
    write: () => 'name="model"\na:'.repeat(80_000),
  },
  {
    name: "30 MB of empty objects to the chat",
    path: "/api/sessions",
    write: () => `{"x":[${"{},".repeat(9_900_000)}{}]}`,
  },
  body("28 MB as a title", "/api/sessions", () => ({ title: fox.repeat(650_000) })),
  body("28 MB as a message of the chat", "/api/sessions/{session}/messages", () => ({
    text: fox.repeat(650_000),
    model: "midfold-demo",
  })),
  body("2 MB as a message of the chat", "/api/sessions/{session}/messages", () => ({
    text: fox.repeat(45_000),
    model: "midfold-demo",
  })),
  body("import of 25 MB in 15,000 messages", "/api/sessions/import", () => ({
    content: JSON.stringify(
      repeat(15_000, (i) => ({ role: i % 2 ? "assistant" : "user", content: `${i} ${fox.repeat(36)}` })),
    ),
  })),
  body("import of 4 MB of Markdown", "/api/sessions/import", () => ({
    content: `## User\n\n${fox.repeat(45_000)}\n\n## Assistant\n\n${"a\n\n".repeat(600_000)}`,
  })),
  body("import of a million lines that are no messages", "/api/sessions/import", () => ({
    content: '{"a":1}\n'.repeat(1_000_000),
    format: "claude-code",
  })),
];
