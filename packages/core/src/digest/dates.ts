import { anyWord } from "../text/any-word.ts";

/** Words that name one day, counted from the day they are said: the day before, that day, the day after. */
const named = [
  ["yesterday|gestern|hier|ayer|ieri|ontem|вчера|wczoraj|hôm qua|kemarin", "昨天|昨日|어제"],
  ["today|tonight|heute|aujourd'hui|hoy|oggi|hoje|сегодня|dzisiaj|hôm nay", "今天|今日|오늘"],
  ["tomorrow|demain|domani|amanhã|завтра|jutro|ngày mai|besok", "明天|明日|내일"],
] as const;
/** Words whose meaning depends on when they are said. */
const depending = [
  "ago|(?:last|next|this|past|coming) (?:week(?:end)?|month|year|spring|summer|autumn|fall|winter|night|\\p{L}+day)|recently|(?:letzte|nächste|diese|kommende)[nrs]? (?:woche|monat|jahr|\\p{L}+tag)|vor \\S+ (?:tagen|wochen|monaten|jahren)|il y a|(?:semaine|mois|année) (?:derni[eè]re?|prochaine?)|hace \\S+|(?:semana|mes|año) (?:pasad[ao]|próxim[ao])|scors[ao]|prossim[ao]|назад|на (?:прошлой|следующей)",
  "上周|下周|上个月|下个月|先週|来週|先月|来月|지난|다음",
] as const;
/** Other words that say when. */
const times =
  "last|next|(?:week|month|year)s?|[a-z]{3,6}day|(?:jan|febr)uary|march|april|june|july|august|(?:sept|nov|dec)ember|october";

const days = named.map(([whole, anywhere], at) => [anyWord(whole, anywhere), at - 1] as const);
const relative = anyWord(...depending);
/** All of them in one pattern: every clause of a conversation is tried. */
const all = [...named, depending];
const anyTime = anyWord(
  `${times}|${all.map(([whole]) => whole).join("|")}`,
  all.map(([, anywhere]) => anywhere).join("|"),
);

/**
 * A line with the day it means behind it, where it says so by a word such as "yesterday" and it is known when it was said:
 * once it stands in a digest, nobody could tell. Other words that depend on the day get the day on which they were said.
 * `newest` is the date of the newest message.
 */
export function withDate(line: string, at: string | undefined, newest?: string): string {
  if (at === undefined || !namesTime(line)) return line;
  const said = Date.parse(at);
  if (Number.isNaN(said)) return line;
  const meant = days.filter(([words]) => words.test(line));
  const [day] = meant;
  const short = (time: number) => shortDay(time, newest);
  if (meant.length === 1 && !relative.test(line)) return `${line} [${short(said + day![1] * 86_400_000)}]`;
  return meant.length > 0 || relative.test(line) ? `${line} [said ${short(said)}]` : line;
}

/** When the newest of these was said, as far as it is known. */
export function newestDate(sources: readonly { readonly at: string | undefined }[]): string | undefined {
  return sources.findLast(({ at }) => at !== undefined)?.at;
}

/** Half the tokens of 2026-03-01. The year stands where it is not that of the newest message. */
function shortDay(time: number, newest = ""): string {
  const [, month, day, year] = new Date(time).toDateString().split(" ");
  return `${Number(day)} ${month}${newest.startsWith(year!) ? "" : ` ${year}`}`;
}

/** Whether it says when: "yesterday", "next week", "in June". */
export function namesTime(line: string): boolean {
  return anyTime.test(line);
}

/** The line as it was said. */
export function withoutDate(line: string): string {
  return line.replace(/ ?\[(?:said )?(?:\d{4}-\d\d-\d\d|\d\d? [A-Z][a-z]{2}(?: \d{4})?)\]/g, "");
}

/** The days that somebody may mean who says "yesterday", "today" or "tomorrow". */
export function daysAround(at: string): string[] {
  const said = Date.parse(at);
  return Number.isNaN(said) ? [] : days.map(([, off]) => isoDay(said + off * 86_400_000));
}

/** By the clock of this machine, which is that of whoever talks more often than Greenwich's is. */
function isoDay(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
