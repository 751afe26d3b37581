/** Runs in a thread of its own. */
import { serveTasks } from "./serve-tasks.ts";
import { tasks } from "./tasks.ts";

serveTasks(tasks);
