import { type RawBuilder, sql } from "kysely";
import type { Database } from "../sql/database.ts";

interface Rule {
  readonly broken: string;
  readonly count: RawBuilder<{ readonly count: number }>;
}

/** Rules that hold in every database at all times, each as a count of the rows that break it. */
const rules: readonly Rule[] = [
  {
    broken: "sessions point to a summary that is not there or not in force",
    count: sql`select count(*) as count from chat_sessions s
      left join session_snapshots x on x.owner = s.owner and x.session_id = s.id and x.id = s.summary_id
        and x.kind = 'summary' and x.state = 'active' and x.cutoff_seq = s.cutoff_seq
      where s.summary_id is not null and x.id is null`,
  },
  {
    broken: "summaries are in force without their session knowing",
    count: sql`select count(*) as count from session_snapshots x
      join chat_sessions s on s.owner = x.owner and s.id = x.session_id
      where x.kind = 'summary' and x.state = 'active' and s.summary_id is distinct from x.id`,
  },
  {
    broken: "summaries in force end at a message that is not there",
    count: sql`select count(*) as count from session_snapshots x
      left join chat_messages m on m.owner = x.owner and m.session_id = x.session_id
        and m.id = x.message_cutoff_id and m.seq = x.cutoff_seq
      where x.kind = 'summary' and x.state = 'active' and m.id is null`,
  },
  {
    broken: "messages have a sequence number beyond their session's",
    count: sql`select count(*) as count from chat_messages m
      join chat_sessions s on s.owner = m.owner and s.id = m.session_id where m.seq > s.last_seq or m.seq < 1`,
  },
  {
    broken: "messages or snapshots belong to no session",
    count: sql`select (select count(*) from chat_messages m where not exists
        (select 1 from chat_sessions s where s.owner = m.owner and s.id = m.session_id))
      + (select count(*) from session_snapshots x where not exists
        (select 1 from chat_sessions s where s.owner = x.owner and s.id = x.session_id)) as count`,
  },
  {
    broken: "search entries are missing or left over",
    count: sql`select abs((select count(*) from message_search)
      - (select coalesce(sum(search_chunks), 0) from chat_messages)) as count`,
  },
];

/** Every broken rule, in words; empty when there is none. */
export async function checkStore(database: Database): Promise<readonly string[]> {
  const problems: string[] = [];
  await database.view(async (db) => {
    for (const { broken, count } of rules) {
      const { rows } = await count.execute(db);
      const found = Number(rows[0]?.count ?? 0);
      if (found > 0) problems.push(`${found} ${broken}`);
    }
    for (const question of database.traits.integrityChecks) {
      const { rows } = await sql.raw<Record<string, unknown>>(question).execute(db);
      for (const row of rows) {
        const answer = String(Object.values(row)[0]);
        if (answer !== "ok") problems.push(answer);
      }
    }
  });
  return problems;
}
