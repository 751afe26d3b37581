import { expect, test } from "vitest";
import { assistant, user } from "../digest/arbitrary-messages.test-data.ts";
import { frameMessage } from "../digest/frame.ts";
import { fold } from "../fold/fold.ts";
import { detectLanguage } from "./detect-language.ts";
import { languageOf } from "./language-of.ts";

test.each([
  ["English", "Please tell me what the weather is in the city and if it is raining"],
  ["German", "Kannst du den Fehler in src/app.ts beheben, bevor wir ausliefern?"],
  ["French", "Peux-tu corriger l'erreur dans le fichier de configuration ?"],
  ["Spanish", "¿Puedes arreglar el fallo en las pruebas de ayer?"],
  ["Portuguese", "Você pode corrigir o erro no arquivo de configuração?"],
  ["Italian", "Puoi sistemare l'errore nel file di configurazione?"],
  ["Dutch", "Kun je de fout in het configuratiebestand oplossen?"],
  ["Polish", "Nie wiem jak to jest, ale proszę o pomoc dla mnie"],
  ["Czech", "Oprav prosím chybu v konfiguračním souboru"],
  ["Swedish", "Kan du rätta felet i inställningarna innan vi skickar det?"],
  ["Finnish", "Korjaa virhe asetustiedostossa, kiitos"],
  ["Hungarian", "Javítsd ki a hibát a beállítási fájlban"],
  ["Romanian", "Te rog repară eroarea din fișierul de configurare"],
  ["Turkish", "Lütfen yapılandırma dosyasındaki hatayı düzelt"],
  ["Vietnamese", "Tôi không có thời gian cho các bạn của tôi trong ngày này"],
  ["Russian", "Я не знаю, что это такое и как с этим быть"],
  ["Ukrainian", "Виправ помилку у файлі конфігурації, будь ласка"],
  ["Greek", "Διόρθωσε το σφάλμα στο αρχείο ρυθμίσεων"],
  ["Arabic", "من فضلك أصلح الخطأ في ملف الإعدادات"],
  ["Hebrew", "תקן את השגיאה בקובץ ההגדרות"],
  ["Hindi", "कृपया कॉन्फ़िगरेशन फ़ाइल में त्रुटि ठीक करें"],
  ["Thai", "โปรดแก้ไขข้อผิดพลาดในไฟล์การตั้งค่า"],
  ["Chinese", "我想预订明天去北京的火车票"],
  ["Japanese", "明日の天気はどうですか。教えてください"],
  ["Korean", "내일 날씨가 어떤지 알려 주세요"],
])("%s", (name, text) => {
  expect(detectLanguage(text)).toBe(name);
});

test("code, paths and names do not decide", () => {
  const code = "```ts\nexport function theWhileForAnd(this: string) { return that.is.what.you.have; }\n```";
  expect(detectLanguage(`Warum schlägt das hier fehl?\n${code.repeat(20)}\n src/the/and/for/with.ts`)).toBe("German");
});

test("nothing to go by is undefined", () => {
  for (const text of ["", "42", "src/app.ts", "```\nconst a = 1;\n```"]) expect(detectLanguage(text)).toBeUndefined();
});

test("only what users write counts", async () => {
  const english = "This is the answer that you have asked for, and there is much more of it.".repeat(20);
  expect(await languageOf([user("Wie wird das Wetter morgen in Wien?"), assistant(english)])).toBe("German");
});

test("what frames say does not count, nor what comes after enough has been read", async () => {
  const german = "Wir haben beschlossen, am Montag nach Wien zu fahren, und alle sind damit einverstanden. ";
  const english = "This is what we have decided about the way that we are going to go there on Monday. ";
  const frame = frameMessage({ kind: "summary", text: english.repeat(30), covers: 3 });
  expect(await languageOf([frame, user(german)])).toBe("German");
  const late = Array.from({ length: 9 }, () => user(german.repeat(30)));
  expect(await languageOf([...late, ...Array.from({ length: 30 }, () => user(english.repeat(30)))])).toBe("German");
});

test("a summary is asked for in the users' language", async () => {
  const chat = Array.from({ length: 60 }, (_, turn) => ({
    role: turn % 2 ? "assistant" : "user",
    content: `${"Wir haben beschlossen, am Montag nach Wien zu fahren. ".repeat(12)}${turn}`,
  }));
  const prompts: string[] = [];
  await fold(chat, {
    model: "gpt-4o",
    window: 8_000,
    preset: "chat",
    summarizer: async ({ prompt }) => {
      prompts.push(prompt);
      return "Die Reise nach Wien beginnt am Montag, das wurde beschlossen.";
    },
  });
  expect(prompts[0]).toContain("Write in German");
});
