/** Patterns for `scan-facts.ts`. All are bounded; the sticky ones run at a chunk's start only. */
export const url = /[a-z][a-z0-9+.-]{1,10}:\/\/[^\s"'<>`\\]{1,400}/iy;
export const windowsPath = /[A-Za-z]:\\[^\s"'<>|?*]{2,250}/y;
const months =
  "jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|março|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|maio|junho|julho|setembro|outubro|dezembro";
export const monthFirst = new RegExp(`(?:${months})\\.? \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?(?!\\w)`, "iuy");
const units =
  "%|‰|°[CF]?|ms|µs|ns|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|nights?|weeks?|months?|years?|[kmgtp]i?b(?:ps|\\/s)?|bytes?|bits?|px|rem|km|cm|mm|m|mi|miles?|ft|feet|kg|g|mg|lbs?|oz|l|ml|mph|kmh|km\\/h|hz|khz|mhz|ghz|w|kw|kwh|v|mah|tokens?|items?|people|persons?|passengers?|seats?|bags?|pieces?|times|x|rows?|lines?|files?|tests?|users?|messages?|tage?n?|stunden?|minuten?|sekunden?|wochen?|jahren?|jours?|heures?|semaines?|ans|días?|horas?|semanas?|años?|дней|часов|минут|лет|годин|dni|godzin|ngày|giờ|phút|hari|jam|menit";
const money =
  "dollars?|euros?|usd|eur|gbp|cny|rmb|jpy|chf|pln|vnd|idr|rub|руб(?:лей|ля)?|zł|rupiah|yuan|yen|bucks|cents?|€|£|元|块|円|₽";
export const number = /(?:[$€£¥₹]\s?)?[+-]?\d(?:[\d,._:/-]{0,30}\d)?/y;
/** What a number is followed by, by the kind it makes of it. What cannot begin so is not tried against all of them. */
export const suffix = new RegExp(
  `(?=\\.?\\s?[%a-z\\u{80}-\\u{10ffff}])(?:(?<money>\\s?(?:${money})(?!\\p{L}))|(?<date>(?:st|nd|rd|th)?\\.? (?:of |de )?(?:${months})(?!\\p{L})\\.?(?:,? \\d{4})?` +
    `|\\s?(?:am|pm|a\\.m\\.|p\\.m\\.|uhr)(?!\\p{L})|[年月日号时點点分]\\d{0,2}[月日号分半]?\\d{0,2}[日号]?)` +
    `|(?<number>\\s?(?:${units})(?![\\p{L}\\d])|[个人天晚间岁米公里公斤度层位張张本冊名回歳分秒]+))`,
  "iuy",
);
export const phone = /\+?\d{1,4}[ .-]?(?:\(\d{2,4}\)|\d{2,4})[ .-]\d{2,4}(?:[ .-]\d{2,4}){0,3}(?![\w-])/y;
export const extension =
  /\.(?:[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|cc|cpp|h|hpp|cs|php|sh|bash|ps1|sql|json|jsonl|ya?ml|toml|ini|cfg|conf|env|md|mdx|rst|txt|csv|tsv|xml|html?|css|scss|vue|svelte|lock|log|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|webp|mp[34]|wav|zip|t?gz|ipynb|proto|gradle|pony|tex|bib|db|sqlite|pem|crt|key|service|hbs|ejs|patch|diff)$/i;
