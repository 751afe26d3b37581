import { describe, expect, it } from "vitest";
import { bindingSentences, isOwn, looksPasted } from "./rules.ts";

describe("rules in lists", () => {
  it.each([
    ["- ", "Never commit to main"],
    ["- ", "Use pnpm for every install"],
    ["* ", "No emojis in commit messages"],
    ["• ", "I prefer small commits"],
    ["1. ", "Always run the tests first"],
    ["2) ", "If a test fails, stop and ask me"],
    ["(b) ", "Do not use any"],
    ["- [ ] ", "The public API must not change"],
    ["   - ", "Ask me before you delete a file"],
    ["- ", "Verwende nie eval, auch nicht in Tests"],
    ["- ", "**Never** touch `src/legacy` (it is frozen)"],
  ])("%s%s", (mark, rule) => {
    expect(bindingSentences(`Please fix the build.\n${mark}${rule}\n${mark}and a second entry`)).toEqual([rule]);
  });

  it.each([
    ["Rules:", ["small commits", "German in the interface"]],
    ["## Conventions", ["tabs, not spaces", "pnpm"]],
    ["Bitte beachte diese Regeln:", ["kleine Commits", "Kommentare auf Deutsch"]],
    ["规则：", ["小步提交", "界面用中文"]],
  ])("under the title %s every entry binds", (title, entries) => {
    const text = `Fix the build.\n\n${title}\n${entries.map((entry) => `- ${entry}`).join("\n")}\n\nThe log is below.\n- first line`;
    expect(bindingSentences(text)).toEqual(entries);
  });

  it("a sentence before the title of a list binds too", () => {
    expect(bindingSentences("Never amend a commit. Also follow these rules:\n- small commits")).toEqual([
      "Never amend a commit.",
      "small commits",
    ]);
  });

  it("a title that turns its entries round stays with them", () => {
    expect(bindingSentences("Never:\n- commit to main\n- delete a branch")).toEqual([
      "Never: commit to main",
      "Never: delete a branch",
    ]);
    expect(bindingSentences("Rules for main:\n- small commits")).toEqual(["small commits"]);
  });

  it("a heading that is a rule itself, and a sentence that begins in bold", () => {
    expect(bindingSentences("## Never force-push to main\n**Never** touch `src/legacy`")).toEqual([
      "Never force-push to main",
      "**Never** touch `src/legacy`",
    ]);
  });

  it("a list under any other line does not bind", () => {
    expect(bindingSentences("Today I saw:\n- a red page\n- an empty table")).toEqual([]);
    expect(bindingSentences("Which rules apply here?\n- the old ones\n- the new ones")).toEqual([]);
  });

  it("the number of an entry is not a sentence of its own", () => {
    expect(bindingSentences("12. Never force-push. 13. Never amend.")).toEqual(["Never force-push.", "Never amend."]);
  });

  it.each([
    "Forget what I said about tabs.",
    'The rule "small commits" no longer holds.',
    "Please disregard the limit of 20 lines.",
    "I changed my mind about Postgres.",
    "Die Regel zu den Tabs gilt nicht mehr.",
    "这条规则不再适用。",
  ])("what takes a rule back is a rule: %s", (line) => {
    expect(bindingSentences(line)).toEqual([line]);
  });

  it("lines of a diff are not entries", () => {
    for (const line of [
      "- return never(value)",
      "- const always = only;",
      "-   must(be);",
      "+ Never added",
      "- assert(never)",
    ]) {
      expect(looksPasted(line)).toBe(true);
      expect(bindingSentences(line)).toEqual([]);
    }
  });
});

it("two words that a program printed are no rule", () => {
  expect(bindingSentences("Authentication required.\nPayment required\nAccess forbidden!")).toEqual([]);
  expect(bindingSentences("A review is required. Direct pushes are forbidden.")).toEqual([
    "A review is required.",
    "Direct pushes are forbidden.",
  ]);
});

it.each([
  'About "sync", instead: Laisse src/a.ts tel quel.',
  "For the parser: leave its tests as they are.",
  "Регистр: оставь lib/a.ts как есть.",
])("an order behind a colon binds: %s", (rule) => {
  expect(bindingSentences(`Look at the build. ${rule} Thanks a lot!`)).toEqual([rule]);
});

it.each(["Встреча переносится: 2026-05-07 в десять, не раньше.", "会议改到 2026-05-07 下午三点，不要提前。"])(
  "words before a date are the user's own in any alphabet: %s",
  (line) => {
    expect(looksPasted(line)).toBe(false);
    expect(looksPasted(line.replace(/^.*(?=2026)/, "["))).toBe(true);
  },
);

it("a small word inside a longer one orders nothing", () => {
  expect(bindingSentences("Non sappiamo nulla su Orléla.")).toEqual([]);
  expect(bindingSentences("Non toccare nulla con la mano.")).toEqual(["Non toccare nulla con la mano."]);
});

it("a line of twelve million letters is looked at", () => {
  expect(looksPasted(`- ${"中".repeat(12_000_000)}`)).toBe(false);
  expect(looksPasted(`\`${"中".repeat(12_000_000)}\``)).toBe(false);
  expect(isOwn(`[${"中".repeat(12_000_000)}]`)).toBe(true);
});

it.each([
  "Do it without touching the schema.",
  "I need it done without new packages.",
  "I wouldn't want any downtime.",
  "We won't accept new dependencies.",
  "I will not pay more than $200.",
])("what must not happen on the way binds: %s", (sentence) => {
  expect(bindingSentences(sentence)).toEqual([sentence]);
});

it.each([
  "no, don't like the optional part.",
  "We don't want that.",
  "No concern about the old sessions.",
  "ok, i removed almost all of them, except for the border.",
  "This lets people test local builds without touching their path.",
  'no changes added to commit (use "git add" and/or "git commit -a")',
])("an opinion, a remark or output binds nobody: %s", (sentence) => {
  expect(bindingSentences(sentence)).toEqual([]);
});

it("a diff in a message is not said by the user, wherever on a line it begins", () => {
  const diff =
    "diff --git a/a.go b/a.go\nindex 1234567..89abcde 100644\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n // Never call this twice.\n-// You must close it.";
  const text = `- Current git diff: ${diff}\n\n## Your task\nNever touch the changelog.`;
  expect(bindingSentences(text)).toEqual(["Never touch the changelog."]);
});

it.each([
  "It reminds me to always look out for others, especially when they're feeling down.",
  "We are working around the clock to ensure that everyone gets help.",
  "Whenever I hear this song, I think about the paths I've taken.",
  "Every time we go there, it rains.",
  "Always been interested in other countries.",
  "Never saw this coming.",
  "They're great, always supporting each other.",
  "Don't think so.",
  "No it's not minutes.",
  "Okay, never mind.",
  "Nearly five million people lack a family doctor.",
])("what is told with a binding word binds nobody: %s", (sentence) => {
  expect(bindingSentences(sentence)).toEqual([]);
});

it.each([
  "I want you to always run the linter.",
  "You need to make sure that the tests pass.",
  "Please remember to never push on Fridays.",
  "Whenever you rename a flag, keep the old name.",
  "Every time I ask for code, I want tests with it.",
  "Always embed the fonts.",
  "Never proceed without a backup.",
  "No new packages, please.",
  "Ne touche pas la base.",
])("the same words bind in an order: %s", (sentence) => {
  expect(bindingSentences(sentence)).toEqual([sentence]);
});

describe("between equals", () => {
  it.each([
    "Don't forget to rest, and don't give up on your dreams.",
    "They are my rock in tough times and always cheer me on.",
    "You never shy away from a challenge and always try something new.",
    "Mental health comes first, so make sure you take care of yourself.",
    "I'm gonna keep on going and never quit.",
    "They just sent me a rejection letter without much feedback.",
    "But instead of giving up, I turned it into a lesson.",
    "You can't really decide that.",
    "Yes, they need to work with us on the prototype.",
    "The government must act quickly.",
    "The police are required to report that.",
    "Only the numbers, one to twenty.",
    "Mia: Yeah, I remember that!",
  ])("advice and what is told bind nobody: %s", (sentence) => {
    expect(bindingSentences(sentence, true)).toEqual([]);
  });

  it.each([
    "Never commit to main.",
    "Please don't use semicolons.",
    "So please never mention my sister.",
    "Always answer in French.",
    "Only reply in JSON.",
    "You must not deploy on Friday.",
    "You should only use words that a child knows.",
    "The public API must not change.",
    "Direct pushes are forbidden.",
    "I don't want spoilers.",
    "We won't accept new dependencies.",
    "I want no more than 3 options.",
    "Do it without touching the schema.",
    "Unless I say otherwise, work on the develop branch.",
    "From now on call me Max.",
    "No emojis in commit messages.",
    "I prefer small commits.",
    "I'd rather have two short chapters.",
    "If a test fails, stop and ask me.",
    "Use pnpm for every install.",
    "Forget what I said about tabs.",
    "Mia: Make sure to turn your microphone on.",
    "Bitte niemals auf main pushen.",
    "不要删除任何文件。",
  ])("an order binds all the same: %s", (sentence) => {
    expect(bindingSentences(sentence, true)).toEqual([sentence]);
  });
});

it.each([
  "Keep your answers under 100 words.",
  "Answer only in French.",
  "Please reply in one sentence.",
  "Write all comments in English.",
  "Keep it short.",
  "Stop using emojis.",
  "No emojis.",
  "Call me Sam.",
  "Antworte bitte auf Deutsch.",
  "Réponds toujours en français.",
  "Responde en español.",
  "请用中文回答。",
  "日本語で答えてください。",
])("how answers are to be binds: %s", (sentence) => {
  expect(bindingSentences(sentence)).toEqual([sentence]);
});

it.each([
  "I answered in French.",
  "She replied in one sentence.",
  "No worries.",
  "No kids.",
  "I kept it short.",
  "They call me Sam at work.",
  "We stopped using emojis.",
])("what only tells of answers binds nobody: %s", (sentence) => {
  expect(bindingSentences(sentence)).toEqual([]);
});

describe("what is told, asked or offered in the words of rules", () => {
  it.each([
    "No part of the order has been sent.",
    "No boxes have been opened yet.",
    "No further help needed, thank you!",
    "No details yet.",
    "No constraints.",
    "No particular reason, I just like it there.",
    "I can't afford surprises this month.",
    "I don't want to lose my deposit.",
    "I really don't want to take any chances with it.",
    "I don't want to give a wrong number.",
    "I don't need anything else today.",
    "Don't want to spell it again.",
    "I'd rather not say it out loud on the train, so let me type it.",
    "I can send you the receipt, just let me know what you need to find it.",
    "If you need to check my account, tell me what you need.",
    "If a form is required, tell me what I am to write and I'll bring it.",
    "I understand that you can't take one item off.",
    "Since you can't ship on Sunday, Monday is fine.",
    "If you can't set a reminder, I'll look again myself.",
    "Please start the return if pickup is required.",
    "I'd like to pay for all the seats that only have one guest.",
    "I just need to make sure I am ready for the exam.",
    "I shouldn't have to wait for your mistake.",
    "I have painted the fence for years and always ensure it looks new.",
    "I agreed with my boss to limit mails after 7 pm, how can I keep to it",
    "I remember that the shop takes nothing back.",
    "I'll keep in mind that it is steep.",
    "You know what, it may stand there without the hyphen.",
    "Never heard of it, but it sounds good.",
    "1432: Always rounds to a whole number.",
    "I understand that after the change, the order can't be touched.",
    "I don't want to spell out my street.",
    "Let's get it done without any surprises.",
    "Ich habe meine Karte gerade nicht zur Hand.",
    "J'ai toujours eu ce numéro.",
    "Estoy solo en casa.",
    "Não tenho meu cartão aqui comigo.",
    "Nie mam przy sobie adresu.",
    "У меня только один заказ.",
  ])("binds nobody: %s", (sentence) => {
    expect(bindingSentences(sentence)).toEqual([]);
  });

  it.each([
    "No part of the API may change.",
    "No file may have more than 300 lines.",
    "No further changes to the schema.",
    "No real customer data in tests.",
    "I can't afford more than $500.",
    "I don't want to lose any data.",
    "I don't want to change the seats, just the meal.",
    "I don't want to be called at work.",
    "I don't need explanations, just the code.",
    "We don't need to support old browsers.",
    "I'd rather handle errors at the call site.",
    "If you need to delete a file, ask me first.",
    "If you can't run the tests, tell me why.",
    "If that fails, stop and tell me.",
    "As the database is shared, never run migrations on it.",
    "You can't use services outside the company.",
    "When you write code, you need to add tests.",
    "I need you to make sure that nothing is logged.",
    "I want you to run the linter and make sure it passes.",
    "I said you shouldn't touch the tests.",
    "I understand that you can't test it, so don't try to.",
    "I'm using Node, the bundle should stay under 200 KB.",
    "Don't really delete anything.",
    "And make sure it never logs the token.",
    "You should do this without changing the tests.",
    "Make sure I can undo every step.",
    "Forget my rule about tabs.",
    "Ich habe wenig Zeit, schreib niemals direkt in src/a.ts.",
    "Ich habe gesagt, dass du nie auf main pushen sollst.",
    "Ich möchte keine neuen Pakete.",
    "Sei immer höflich.",
    "So bitte nie auf main pushen.",
    "Je suis pressé, ne touche pas la base.",
    "Hay que usar pnpm.",
    "No quiero cambios en la base.",
  ])("an order, a limit or a preference in such words binds: %s", (sentence) => {
    expect(bindingSentences(sentence)).toEqual([sentence]);
  });

  it.each([
    "I don't have my card here, so please find me by:",
    "Thanks! I never remember the number. Please find me by:",
    "Two more things so I don't miss anything:",
    "Here is what I remember:",
  ])("a title that tells of the user turns no entry into a rule: %s", (title) => {
    expect(bindingSentences(`${title}\n- ZIP: 12345\n- Name: Kim Doe`)).toEqual([]);
  });

  it.each(["Things I don't want to see:", "What we never do:", "Fine so far. Please never:"])(
    "a title that orders does: %s",
    (title) => {
      expect(bindingSentences(`${title}\n- force pushes\n- or does it ask?`)).toEqual([
        `${title.replace(/^.*\. /, "")} force pushes`,
      ]);
    },
  );
});

describe("sentences of recorded conversations", () => {
  it.each([
    "We also don't test 3rd party library or language features, only our own code.",
    "No code changes.",
    "We don't need any notes about 1.0.2 legacy in the docs.",
    "These ONLY apply to the `run` command and are the equivalent to the user using the `-c` flag, but ONLY for that provider.",
    "invalid themes must NEVER explode",
    "hm, i selected the theme while you were working and got a crash, that should never happen.",
    "should be dimmer, don't modify the theme, look into the footer sources",
    "no conosle logs!",
    "make sure toolText is also used.",
    "i would only want e2e tests for AgentSession, anything else is shitty.",
    "no man... add a function like GetLogPath that does the whole thing in path_utils, don't do a join outside of it",
    "no toml properties we don't expect/know about",
    "Whatever is there should be provided to the provider as if the user gave it, unless they DID provide a `-c` value.",
    "When exploring the codebase, use efficient tools like find, grep, and git commands.",
    "Do NOT make potentially dangerous changes unless explicitly asked to do so.",
    "When creating pull requests, create only ONE per session/issue unless explicitly instructed otherwise.",
    "Only use GITHUB_TOKEN and other credentials in ways the user has explicitly requested and would expect.",
    "Make sure all these tests pass with your changes.",
    "The user cannot add insurance after initial booking.",
    "The agent must first obtain the user id and the reservation id.",
    "No, I do not want travel insurance.",
    "I prefer flights departing after 8am and before 9pm, so I'd like to choose Flight HAT072.",
    "I really need the flight on May 24 to fit under $1,000 for any upgrades.",
    "Leave the portable charger as it is.",
    "Please make sure the price stays the same or is lower, and let me know explicitly if that’s the case.",
    "When you are not speaking, leave your mic on mute.",
    "You need to do nothing but read.",
    "Actually, I’ve changed my mind about the desk lamp.",
    "Documentation is required for every flag.",
    "回答请控制在100字以内。",
    "每个函数不要超过30行。",
    "100文字以内で説明してください。",
    "例を3つ以上挙げてください。",
    "不要删除任何文件。",
    "Minimal 3 contoh untuk setiap jawaban.",
    "Maximal 50 Zeichen pro Zeile.",
    "Make sure that it never fails.",
    "Write clean, efficient code with minimal comments.",
    "Deploy in the morning, never on Fridays.",
  ])("that bind: %s", (sentence) => {
    expect(bindingSentences(sentence)).toEqual([sentence]);
  });

  it.each([
    "**No changes needed** in:",
    "Remember:",
    "**Minimal Example**",
    "Text-only sessions with no recoverable workspace are returned only on explicit requests, never in listings (so they can't pollute unrelated projects).",
    "I don't remember the reservation ID, but my user profile should be under ivan_muller_7015.",
    "It should still be within the 24-hour cancellation window.",
    "Async RUN_COMMAND output is written to .system_generated/tasks, so without also watching tasks/ those updates can't trigger a re-emit.",
    "workspaceRoot is required by the SessionData schema, but this function can still produce an empty one.",
    "Because `(MyType)` doesn't generate a 1-tuple, the compiler could warn if the extra parens are not required.",
    "If I launch `specstory resume` and I do nothing but hit ESC.",
    "But they can't, cause they are still in search mode.",
    "hmmm we aren't showing agent unless it's not all.",
    "Only way to bring it back is to wipe the `ssessions.db` and reindex.",
    "newline and only displays the first line.",
    "This is a brand new provider that only works for 1.1.3+.",
    "I’ll keep an eye out for the emails and make sure to send everything back as soon as I can.",
    "I'll get back to you once I have the required information.",
    "I don’t see any network type indicators like 4G or LTE, and there aren’t any other icons except for the battery.",
    "When I try to send an MMS, it just fails to send without a specific error message.",
    "I don’t have the reservation ID with me right now, but I’m sure I can proceed without it.",
    "As for the reason, it's because I need to rebook without Ethan.",
    "More than a quarter of that population is under the age of 15.",
    "Many of them are below level 1 in terms of literacy and numeracy.",
    "I changed my mind.",
    "你好，帮我推荐一个评分在4.5分以上的景点，谢谢。",
    "请帮我找一家人均消费是100-150元，评分4分以上的餐馆。",
    "东兴顺爆肚张周边有门票价格20元以下的景点吧。",
    "那只要可以吃到一品东坡肉的餐馆就可以。",
    "你能不能帮我看看这个。",
    "不要紧，谢谢你。",
  ])("that bind nobody: %s", (sentence) => {
    expect(bindingSentences(sentence)).toEqual([]);
  });
});
