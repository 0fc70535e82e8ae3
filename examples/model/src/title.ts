/** Whether the instructions ask for the title of a conversation, as the memory of an agent does. */
export function asksForTitle(system: string): boolean {
  return /^Name the topic of this conversation\b/u.test(system);
}

/** The first words of the user's question. The message is a transcript: `User: …`, `Assistant: …`. */
export function titleOf(transcript: string): string {
  const [question = ''] = transcript.replace(/^User:\s*/u, '').split(/\n\s*Assistant:/u);
  const words = question.trim().split(/\s+/u);
  const start = words
    .slice(0, 6)
    .join(' ')
    .replace(/[,;:]$/u, '');
  const title = start.charAt(0).toUpperCase() + start.slice(1);
  return words.length > 6 ? `${title} …` : title;
}
