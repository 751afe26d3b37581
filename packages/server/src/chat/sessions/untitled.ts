/** The title of a session until its first turn names it. */
export const untitled = "New conversation";
